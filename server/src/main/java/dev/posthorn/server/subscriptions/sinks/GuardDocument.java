package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.server.problem.Violation;
import dev.posthorn.sink.Sink;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Events are handed to a guard, which forwards each of them once.
 *
 * @param guard its name
 */
public record GuardDocument(@Nullable String guard) implements SinkDocument {

    @Override
    public Stream<String> missing() {
        return CheckedBuilder.missing("sink.guard", guard);
    }

    @Override
    public Sink build(SinkContext context) {
        return context.guards().sink(Objects.requireNonNull(guard));
    }

    /** Asked only when a subscription is changed: another instance may learn of it before it learns of the guard. */
    @Override
    public Optional<Violation> refusal(Sink built, SinkContext context) {
        return context.guards().isThere(Objects.requireNonNull(guard))
                ? Optional.empty()
                : Optional.of(Violation.of(
                        "sink.guard", "is '" + guard + "', but there is no such guard; PUT it to /v1/guards first"));
    }

    @Override
    public String toString() {
        return "guard " + guard;
    }
}
