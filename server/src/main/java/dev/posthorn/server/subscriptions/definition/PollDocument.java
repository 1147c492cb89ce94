package dev.posthorn.server.subscriptions.definition;

import dev.posthorn.server.json.Durations;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When a lane looks for events again.
 *
 * @param least how soon after something was found; left out: 1ms
 * @param most how late at the latest when nothing comes; left out: 50ms
 */
public record PollDocument(
        @Nullable Duration least, @Nullable Duration most) {

    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration MOST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    void apply(Subscription.Builder subscription) {
        Duration soonest = Objects.requireNonNullElse(least, LEAST);
        Duration latest = Objects.requireNonNullElse(most, MOST);
        if (soonest.compareTo(LEAST) < 0) {
            throw Parameters.refused("pollInterval.least", "is 0ms; it must be at least 1ms");
        }
        if (latest.compareTo(LONGEST) > 0) {
            throw Parameters.refused("pollInterval.most", "is longer than 1m; give a shorter one");
        }
        if (latest.compareTo(soonest) < 0) {
            throw Parameters.refused(
                    "pollInterval.most",
                    "is " + Durations.print(latest) + ", sooner than pollInterval.least, which is "
                            + Durations.print(soonest) + "; give a longer one");
        }
        subscription.pollInterval(soonest, latest);
    }
}
