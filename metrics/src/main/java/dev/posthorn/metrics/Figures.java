package dev.posthorn.metrics;

import dev.posthorn.status.LaneState;
import dev.posthorn.status.Latency;
import dev.posthorn.status.StuckEvent;
import dev.posthorn.status.SubscriptionGauges;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of a subscription, each a number; not a number where there is none. */
final class Figures {

    private Figures() {}

    /**
     * What is read every few seconds.
     *
     * @param lanes all of them
     * @param owned those with an owner whose lease has not ended
     */
    record Current(SubscriptionGauges gauges, int lanes, int owned) {

        static Current of(SubscriptionGauges gauges, List<LaneState> all) {
            List<LaneState> lanes = all.stream()
                    .filter(lane -> lane.subscription().equals(gauges.subscription()))
                    .toList();
            int owned =
                    (int) lanes.stream().filter(lane -> lane.owner() != null).count();
            return new Current(gauges, lanes.size(), owned);
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
    }

    static long stuck(List<StuckEvent> all, String subscription) {
        return all.stream()
                .filter(event -> event.subscription().equals(subscription))
                .count();
    }

    static <T> @Nullable T of(Reading<Map<String, T>> reading, String subscription) {
        Map<String, T> all = reading.value();
        return all == null ? null : all.get(subscription);
    }
}
