package dev.posthorn.server.stream;

import dev.posthorn.metrics.SubscriptionFigures;
import dev.posthorn.server.overview.Board;
import dev.posthorn.status.SubscriptionGauges;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What differs between two readings of the figures.
 *
 * @param signs subscriptions that came, went, or are in other trouble
 * @param deadLetters those that have more or fewer dead letters
 */
record Differences(Set<String> signs, Set<String> deadLetters, long allDeadLetters) {

    /** What does not change all the time. */
    private record Signs(boolean paused, boolean breaker, boolean denial, boolean served) {

        static @Nullable Signs of(@Nullable SubscriptionFigures figures) {
            if (figures == null) {
                return null;
            }
            SubscriptionGauges gauges = figures.gauges();
            return new Signs(
                    gauges.paused(),
                    gauges.breaker() != null,
                    gauges.denial() != null,
                    figures.lanes() == figures.owned());
        }
    }

    static Differences between(Board.Read before, Board.Read after) {
        Map<String, SubscriptionFigures> former = new HashMap<>();
        before.figures().forEach(each -> former.put(each.gauges().subscription(), each));
        Set<String> signs = new TreeSet<>();
        Set<String> letters = new TreeSet<>();
        long all = 0;
        for (SubscriptionFigures each : after.figures()) {
            String name = each.gauges().subscription();
            SubscriptionFigures was = former.remove(name);
            if (!Objects.equals(Signs.of(was), Signs.of(each))) {
                signs.add(name);
            }
            if ((was == null ? 0 : was.gauges().deadLetters()) != each.gauges().deadLetters()) {
                letters.add(name);
            }
            all += each.gauges().deadLetters();
        }
        signs.addAll(former.keySet());
        former.forEach((name, was) -> {
            if (was.gauges().deadLetters() > 0) {
                letters.add(name);
            }
        });
        return new Differences(signs, letters, all);
    }
}
