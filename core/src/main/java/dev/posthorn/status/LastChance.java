package dev.posthorn.status;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that is waiting for one of its last attempts.
 *
 * @param lastFailedAt when it failed as the error tells
 */
public record LastChance(
        String subscription,
        UUID eventId,
        long seq,
        @Nullable String key,
        int attempts,
        int maxAttempts,
        Instant dueAt,
        @Nullable String errorClass,
        @Nullable String errorMessage,
        @Nullable Instant lastFailedAt) {}
