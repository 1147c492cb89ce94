package dev.posthorn.server.events;

import dev.posthorn.status.LastChance;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event that waits for one of its last attempts. */
record LastChanceItem(
        String subscription,
        UUID eventId,
        @Nullable String key,
        int attempts,
        int maxAttempts,
        Instant nextAttemptAt,
        @Nullable String errorClass,
        @Nullable String errorMessage,
        @Nullable Instant lastFailedAt) {

    static LastChanceItem of(LastChance event) {
        return new LastChanceItem(
                event.subscription(),
                event.eventId(),
                event.key(),
                event.attempts(),
                event.maxAttempts(),
                event.dueAt(),
                event.errorClass(),
                event.errorMessage(),
                event.lastFailedAt());
    }
}
