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
 * @param errorClass of the last failure of an event that waits, is held or is a dead letter, like the message and the time
 * @param lastStatusAt since when the status is what it is, as {@code docs/states.md} says for each; null only if it is
 *     delivered and nobody knows any more when
 * @param deletedAt when the subscription was deleted; null if it was not. Its name may be another's by now
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
        @Nullable Instant lastFailedAt,
        @Nullable Instant lastStatusAt,
        Instant createdAt,
        @Nullable Instant deletedAt) {}
