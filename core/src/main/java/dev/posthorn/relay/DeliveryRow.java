package dev.posthorn.relay;

import dev.posthorn.event.RecordedEvent;

/**
 * An event that waits for a lane, as its row says.
 *
 * @param attempts how many were counted so far
 * @param due whether its time has come by its own delays; a probe may come before
 * @param replay whether it is a dead letter that is being sent again
 * @param holdsKey whether that dead letter holds its key
 * @param unanswered whether its last attempt was counted before it was made, and has no answer: its process may have
 *     ended over it
 */
record DeliveryRow(
        RecordedEvent event,
        DeliveryState state,
        int attempts,
        boolean due,
        boolean replay,
        boolean holdsKey,
        boolean unanswered) {

    long seq() {
        return event.seq();
    }
}
