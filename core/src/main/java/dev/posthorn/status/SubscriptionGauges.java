package dev.posthorn.status;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a subscription is doing at this moment.
 *
 * @param pending as in {@link StatusCounts#pending}
 * @param oldestAge of the oldest event that is neither settled nor deferred; null if there is none
 * @param deadLetters the open ones
 * @param oldestDeadLetterAge since the open letter that has failed longest failed first; null if there is none
 * @param breaker null while no lane's breaker is open
 * @param blockedKeys keys that wait behind a failed event
 */
public record SubscriptionGauges(
        String subscription,
        Count pending,
        @Nullable Duration oldestAge,
        long held,
        long waiting,
        long deadLetters,
        @Nullable Duration oldestDeadLetterAge,
        @Nullable Breaker breaker,
        boolean paused,
        long blockedKeys) {

    /** The receiver is unavailable: since when, and what was the last word of it, for the lane that noticed first. */
    public record Breaker(Instant since, String reason, int lanes) {}
}
