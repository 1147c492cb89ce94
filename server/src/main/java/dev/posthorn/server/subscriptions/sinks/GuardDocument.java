package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.server.problem.Violation;
import dev.posthorn.sink.Sink;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Events are handed to a guard, which forwards each of them once.
 *
 * @param guard its name
 */
public record GuardDocument(@Nullable String guard) implements SinkDocument {

    @Override
    public Sink build(Surroundings surroundings) {
        return surroundings.guards().sink(Assembly.required("sink.guard", guard));
    }

    /** Asked only when a subscription is changed: another instance may learn of it before it learns of the guard. */
    @Override
    public Optional<Violation> refusal(Sink built, Surroundings surroundings) {
        return surroundings.guards().isThere(Assembly.required("sink.guard", guard))
                ? Optional.empty()
                : Optional.of(Violation.of(
                        "sink.guard", "is '" + guard + "', but there is no such guard; PUT it to /v1/guards first"));
    }

    @Override
    public String toString() {
        return "guard " + guard;
    }
}
