package dev.posthorn.deadletter;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.Attempt;
import java.util.List;

/**
 * A dead letter with everything that belongs to it.
 *
 * @param event the event as it was recorded, payload and headers included
 * @param attempts every attempt, the first one first
 */
public record FullDeadLetter(DeadLetter letter, RecordedEvent event, List<Attempt> attempts) {

    public FullDeadLetter {
        attempts = List.copyOf(attempts);
    }
}
