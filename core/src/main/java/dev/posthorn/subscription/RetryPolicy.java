package dev.posthorn.subscription;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a failed event is sent again, and when no more.
 *
 * @param delays the wait before the second attempt, before the third, …; the last one repeats
 * @param maxAttempts after so many failed attempts the event is a dead letter
 * @param jitter by which part of itself a delay may be shorter or longer, so that a thousand events that failed
 *     together do not come back together
 * @param longestWish a receiver's own wish when to be asked again counts up to here
 */
public record RetryPolicy(List<Duration> delays, int maxAttempts, double jitter, Duration longestWish) {

    /** For {@link #maxAttempts}: never give up. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    public static final RetryPolicy DEFAULT = new RetryPolicy(
            List.of(Duration.ofSeconds(30), Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(5)),
            5,
            0.1,
            Duration.ofHours(1));

    public RetryPolicy {
        delays = List.copyOf(delays);
        require(!delays.isEmpty(), "delays is empty; give at least one, e.g. 30 s");
        require(delays.stream().noneMatch(Duration::isNegative), "delays holds a negative one");
        require(maxAttempts >= 1, "max-attempts is " + maxAttempts + "; it must be at least 1");
        require(jitter >= 0 && jitter < 1, "jitter is " + jitter + "; it must be 0 or more and less than 1");
        require(!longestWish.isNegative(), "the longest wait that a receiver may wish for is negative");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new PosthornException(ErrorCode.INVALID_SETTING, "retry: " + message);
        }
    }

    public static RetryPolicy of(int maxAttempts, Duration... delays) {
        return new RetryPolicy(List.of(delays), maxAttempts, DEFAULT.jitter, DEFAULT.longestWish);
    }

    public RetryPolicy jitter(double part) {
        return new RetryPolicy(delays, maxAttempts, part, longestWish);
    }

    public boolean isExhausted(int attempts) {
        return attempts >= maxAttempts;
    }

    /** How long to wait after so many attempts. */
    public Duration delay(int attempts, RandomGenerator random) {
        Duration delay = delays.get(Math.min(Math.max(attempts, 1), delays.size()) - 1);
        double factor = jitter == 0 ? 1 : 1 + jitter * (2 * random.nextDouble() - 1);
        return Duration.ofNanos((long) (delay.toNanos() * factor));
    }

    /** The same, or longer if the receiver wishes it. */
    public Duration delay(int attempts, Outcome.Failure failure, RandomGenerator random) {
        Duration wish = wish(failure);
        Duration jittered = delay(attempts, random);
        return wish != null && wish.compareTo(jittered) > 0 ? wish : jittered;
    }

    /** What the receiver wishes, within bounds. */
    @Nullable
    Duration wish(Outcome.Failure failure) {
        Duration wish = failure instanceof Outcome.Retry retry ? retry.after() : null;
        return wish == null || wish.compareTo(longestWish) < 0 ? wish : longestWish;
    }
}
