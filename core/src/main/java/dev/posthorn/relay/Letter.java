package dev.posthorn.relay;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A dead letter, as far as a lane has to know it. */
record Letter(
        long id,
        long seq,
        UUID eventId,
        @Nullable String key,
        int attempts,
        boolean holdsKey,
        boolean discarded,
        boolean replaying) {}
