package dev.posthorn.inbox;

import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * That a consumer has taken an event.
 *
 * @param digest of what came under the event's id, to tell a repetition from another thing with the same id; null if
 *     that is not asked. Not copied: do not change it
 * @param source whose id it is; null if there is only one source, or nobody asks
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
public record InboxEntry(
        UUID eventId, byte @Nullable [] digest, @Nullable String source) {

    public InboxEntry(UUID eventId, byte @Nullable [] digest, @Nullable String source) {
        this.eventId = Objects.requireNonNull(eventId, "eventId");
        this.digest = digest;
        this.source = source;
    }

    /** Of whatever source. */
    public InboxEntry(UUID eventId, byte @Nullable [] digest) {
        this(eventId, digest, null);
    }
}
