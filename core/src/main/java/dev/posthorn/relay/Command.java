package dev.posthorn.relay;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What somebody asks of a lane. */
record Command(
        long id,
        Kind kind,
        long seq,
        @Nullable String key,
        @Nullable Instant dueAt,
        String requestedBy,
        @Nullable String reason) {

    enum Kind {
        /** Let the key go on; the dead letter stays. */
        RELEASE,
        /** Never send the dead letter again; its key goes on. */
        DISCARD,
        /** Do not send an event before a time. */
        DEFER
    }
}
