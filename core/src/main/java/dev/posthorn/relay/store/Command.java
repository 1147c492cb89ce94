package dev.posthorn.relay.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What somebody asks of a lane. */
public record Command(
        long id,
        Kind kind,
        long seq,
        @Nullable String key,
        @Nullable Instant dueAt,
        String requestedBy,
        @Nullable String reason) {

    public enum Kind {
        /** Let the key go on; the dead letter stays. */
        RELEASE,
        /** Never send the dead letter again; its key goes on. */
        DISCARD,
        /** The same, and nothing is left of the dead letter. */
        PURGE,
        /** Do not send an event before a time. */
        DEFER
    }
}
