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
 * @param breaker that the receiver is not reached or does not answer; null while no lane's breaker is open
 * @param denial that the receiver answers and refuses everything; null while no lane finds that
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
        @Nullable Trouble breaker,
        @Nullable Trouble denial,
        boolean paused,
        long blockedKeys) {

    /** Since when, what was the last word of it for the lane that noticed first, and how many lanes notice. */
    public record Trouble(Instant since, String reason, int lanes) {}
}
