package dev.posthorn.benchmarks.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.benchmarks.harness.Turn;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is told of the hubs. */
class CostsTest {

    @Test
    void whatWasNotMeasuredIsNotTold() {
        Costs costs = new Costs(Map.of(1, Turn.of("threads", 58)), 0);

        assertThat(costs.figures().json()).isEqualTo("{\"hubs\": [{\"subscriptions\": 1, \"threads\": 58}]}");
        assertThat(costs.table()).contains("threads of the hub").doesNotContain("mix", "alone");
    }

    @Test
    void aFanOutIsComparedWithOneSubscriptionAndAMixWithTwenty() {
        Costs costs = new Costs(
                Map.of(
                        20, Turn.of("mixP99Millis", 10),
                        100, Turn.of("allPerSecond", 500).and("mixP99Millis", 30)),
                1_000);

        assertThat(costs.figures().json())
                .startsWith("{\"ratio\": 0.5, \"referencePerSecond\": 1000, ")
                .contains("{\"subscriptions\": 20, \"mixP99Millis\": 10, \"mixP99Ratio\": 1}")
                .contains("\"allRatio\": 0.5, \"mixP99Ratio\": 3}");
        assertThat(costs.table()).startsWith("one subscription alone gets 1,000 deliveries/s");
    }
}
