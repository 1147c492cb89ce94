package dev.posthorn.server.access;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.settings.HubSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** How often each caller may call: a bucket of tokens each, which holds a second's worth and fills steadily. */
@Component
class Buckets {

    private static final double NANOS = 1e9;

    /** So many callers are remembered; beyond that, those whose bucket is full again are forgotten. */
    private static final int MANY = 10_000;

    private final double rate;
    private final double capacity;
    private final NanoClock clock;
    private final Map<String, Level> levels = new ConcurrentHashMap<>();

    /** The monotonic clock. */
    interface NanoClock {
        long nanos();
    }

    /** How full a bucket was at a time; below zero, a token was missing. */
    private record Level(double tokens, long at) {}

    @Autowired
    Buckets(HubSettings settings) {
        this(settings.limits().requestsPerSecond(), System::nanoTime);
    }

    Buckets(double rate, NanoClock clock) {
        this.rate = rate;
        this.capacity = Math.max(1, rate);
        this.clock = clock;
    }

    /** Takes a token of this caller's or throws the problem that there is none. */
    void take(String caller) {
        if (rate <= 0) {
            return;
        }
        forgetFull();
        double[] before = new double[1];
        levels.compute(caller, (name, old) -> {
            long now = clock.nanos();
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

    private void forgetFull() {
        if (levels.size() > MANY) {
            long now = clock.nanos();
            levels.values().removeIf(each -> filled(each, now) >= capacity);
        }
    }

    private RuntimeException tooMany(double seconds) {
        return new Problem(
                        ProblemType.TOO_MANY_REQUESTS,
                        "more than " + rate + " requests a second (posthorn.limits.requests-per-second); slow down, or"
                                + " send several events in one request",
                        List.of(),
                        Duration.ofNanos((long) (seconds * NANOS)))
                .asException();
    }
}
