package dev.posthorn.deadletter;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.subscription.Attempt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter with everything that belongs to it.
 *
 * @param event the event as it was recorded, payload and headers included
 * @param attempts every attempt, the first one first
 * @param replaying whether it is being sent again
 * @param replay the replay that does so, if one is known
 */
public record FullDeadLetter(
        DeadLetter letter,
        RecordedEvent event,
        List<Attempt> attempts,
        boolean replaying,
        @Nullable Long replay) {

    public FullDeadLetter {
        attempts = List.copyOf(attempts);
    }
}
