package dev.posthorn.status;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What has become of an event for one subscription.
 *
 * @param source the event's source: ids are unique per source
 * @param attempts those begun, as far as known
 * @param nextAttemptAt when it is due, if it waits for its time
 * @param deliveredAt exact if it ever failed before, else the time of the receipt that covers it, at most a second
 *     late; null if not delivered, or if that receipt is no longer kept
 */
public record SubscriptionStatus(
        String subscription,
        Status status,
        long seq,
        String source,
        String type,
        @Nullable String key,
        int attempts,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant deliveredAt,
        @Nullable String errorClass,
        @Nullable String errorMessage,
        Instant createdAt) {}
