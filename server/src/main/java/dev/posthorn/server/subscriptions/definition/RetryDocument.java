package dev.posthorn.server.subscriptions.definition;

import dev.posthorn.server.web.Parameters;
import dev.posthorn.subscription.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a failed event is sent again, and when no more.
 *
 * @param maxAttempts after so many failed attempts the event is a dead letter, or "unlimited"; left out: 5
 * @param delays the wait before the second attempt, before the third, …; the last repeats. Left out: 30s, 1m, 2m, 5m
 */
public record RetryDocument(
        @Nullable MaxAttempts maxAttempts, @Nullable List<Duration> delays) {

    private static final Duration LONGEST_DELAY = Duration.ofDays(30);
    private static final int MOST_DELAYS = 100;

    RetryPolicy policy() {
        return new RetryPolicy(
                delays == null ? RetryPolicy.DEFAULT.delays() : checked(delays),
                maxAttempts == null ? RetryPolicy.DEFAULT.maxAttempts() : maxAttempts.number(),
                RetryPolicy.DEFAULT.jitter(),
                RetryPolicy.DEFAULT.longestWish());
    }

    private static List<Duration> checked(List<Duration> delays) {
        if (delays.isEmpty() || delays.size() > MOST_DELAYS) {
            throw Parameters.refused(
                    "retry.delays", "holds " + delays.size() + "; give 1 to " + MOST_DELAYS + ", or leave it out");
        }
        for (int i = 0; i < delays.size(); i++) {
            if (delays.get(i).compareTo(LONGEST_DELAY) > 0) {
                throw Parameters.refused("retry.delays[" + i + "]", "is longer than 30d; give a shorter one");
            }
        }
        return delays;
    }
}
