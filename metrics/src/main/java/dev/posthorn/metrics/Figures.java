package dev.posthorn.metrics;

import dev.posthorn.status.Latency;
import dev.posthorn.status.SubscriptionGauges;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The figures of a subscription, each a number; not a number where there is none. */
final class Figures {

    private static final double LANE_IN_TROUBLE = 1_000;

    private Figures() {}

    /**
     * What is read every few seconds.
     *
     * @param lanes all of them
     * @param owned those with an owner whose lease has not ended
     */
    record Current(SubscriptionGauges gauges, int lanes, int owned) {

        /** How much it has before it, for the choice of whom to show: a lane whose receiver takes nothing counts for a lot. */
        double trouble() {
            return gauges.pending().value() + gauges.held() + LANE_IN_TROUBLE * (openBreakers() + denials());
        }

        /** No event waits: nothing is old. */
        double oldestAge() {
            return seconds(gauges.oldestAge());
        }

        double oldestDeadLetterAge() {
            return seconds(gauges.oldestDeadLetterAge());
        }

        double openBreakers() {
            return lanes(gauges.breaker());
        }

        double denials() {
            return lanes(gauges.denial());
        }

        private static double lanes(SubscriptionGauges.@Nullable Trouble trouble) {
            return trouble == null ? 0 : trouble.lanes();
        }

        private static double seconds(@Nullable Duration age) {
            return age == null ? 0 : age.toMillis() / 1_000.0;
        }
    }

    /** What takes longer to find out and is read once a minute. */
    record Slow(@Nullable Latency latency, long stuck) {

        double latencySeconds() {
            return latency == null ? Double.NaN : latency.average().toMillis() / 1_000.0;
        }

        /** Over several, each as often as it was looked at. */
        static double averageSeconds(Stream<Slow> all) {
            List<Latency> known =
                    all.flatMap(each -> Stream.ofNullable(each.latency())).toList();
            long sample = known.stream().mapToLong(Latency::sample).sum();
            double sum = known.stream()
                    .mapToDouble(each -> each.average().toMillis() / 1_000.0 * each.sample())
                    .sum();
            return sample == 0 ? Double.NaN : sum / sample;
        }
    }

    static <T> @Nullable T of(Reading<Map<String, T>> reading, String subscription) {
        Map<String, T> all = reading.value();
        return all == null ? null : all.get(subscription);
    }
}
