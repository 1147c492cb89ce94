package dev.posthorn.inbox;

import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * That a consumer has taken an event.
 *
 * @param digest of what came under the event's id, to tell a repetition from another thing with the same id; null if
 *     that is not asked. Not copied: do not change it
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
public record InboxEntry(UUID eventId, byte @Nullable [] digest) {

    public InboxEntry {
        Objects.requireNonNull(eventId, "eventId");
    }
}
