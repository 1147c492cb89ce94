package dev.posthorn.relay.store;

import dev.posthorn.event.RecordedEvent;
import org.jspecify.annotations.Nullable;

/**
 * An event that waits for a lane, as its row says.
 *
 * @param attempts how many were counted so far
 * @param due whether its time has come by its own delays; a probe may come before
 * @param replay what makes it one that is sent again; null if it is not
 * @param holdsKey whether that dead letter holds its key
 * @param unanswered whether its last attempt was counted before it was made, and has no answer: its process may have
 *     ended over it
 */
public record DeliveryRow(
        RecordedEvent event,
        DeliveryState state,
        int attempts,
        boolean due,
        @Nullable Replayed replay,
        boolean holdsKey,
        boolean unanswered) {

    public long seq() {
        return event.seq();
    }
}
