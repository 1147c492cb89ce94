package dev.posthorn.server.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.settings.HubSettings;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * How often each caller may call: a bucket of tokens each, which holds a second's worth and fills steadily. A bucket that
 * would be full again is forgotten, which changes nothing.
 */
@Component
class RateLimiter {

    private static final double NANOS = 1e9;

    /** Addresses can be made up faster than buckets fill. Beyond so many, those go that called least. */
    static final int MOST_CALLERS = 100_000;

    private final double rate;
    private final double capacity;
    private final Ticker clock;
    private final Cache<String, Level> levels;

    /** How full a bucket was at a time; below zero, a token was missing. */
    private record Level(double tokens, long at) {}

    @Autowired
    RateLimiter(HubSettings settings) {
        this(settings.limits().requestsPerSecond(), Ticker.systemTicker());
    }

    RateLimiter(double rate, Ticker clock) {
        this.rate = rate;
        this.capacity = Math.max(1, rate);
        this.clock = clock;
        this.levels = Caffeine.newBuilder()
                .maximumSize(MOST_CALLERS)
                .expireAfterWrite(rate <= 0 ? Duration.ZERO : seconds(capacity / rate))
                .ticker(clock)
                .executor(Runnable::run)
                .build();
    }

    /** Takes a token of this caller's or throws the problem that there is none. */
    void take(String caller) {
        if (rate <= 0) {
            return;
        }
        double[] before = new double[1];
        levels.asMap().compute(caller, (name, old) -> {
            long now = clock.read();
            before[0] = old == null ? capacity : filled(old, now);
            return new Level(before[0] >= 1 ? before[0] - 1 : before[0], now);
        });
        if (before[0] < 1) {
            throw tooMany((1 - before[0]) / rate);
        }
    }

    private double filled(Level old, long now) {
        return Math.min(capacity, old.tokens() + (now - old.at()) / NANOS * rate);
    }

    /** How many callers are remembered. */
    long callers() {
        levels.cleanUp();
        return levels.estimatedSize();
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * NANOS));
    }

    private RuntimeException tooMany(double seconds) {
        return new Problem(
                        ProblemType.TOO_MANY_REQUESTS,
                        "more than " + rate + " requests a second (posthorn.limits.requests-per-second); slow down, or"
                                + " send several events in one request",
                        List.of(),
                        seconds(seconds))
                .asException();
    }
}
