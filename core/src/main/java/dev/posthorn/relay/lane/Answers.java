package dev.posthorn.relay.lane;

import dev.posthorn.sink.Outcome;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** The answers of a lane's sink, in the order in which the lane takes them. */
final class Answers {

    private final Queue<Sending> came = new ConcurrentLinkedQueue<>();

    /**
     * Failures of events in front of which others have no answer yet. Taken at once, they would close the channel on
     * those, and one of their key would be held behind an event that it came before.
     */
    private final Queue<Sending> early = new ArrayDeque<>();

    /** From any thread. */
    void add(Sending answered) {
        came.add(answered);
    }

    @Nullable
    Sending next(InFlight sent) {
        for (Sending answered = came.poll(); answered != null; answered = came.poll()) {
            if (!(answered.outcome() instanceof Outcome.Failure) || !sent.isBehindUnanswered(answered)) {
                return answered;
            }
            early.add(answered);
        }
        return early.isEmpty() || sent.isBehindUnanswered(early.element()) ? null : early.remove();
    }

    /** Whether none has come that is still to be looked at. */
    boolean isEmpty() {
        return came.isEmpty();
    }
}
