package dev.posthorn.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose series there are. */
class ShownSubscriptionsTest {

    private static final int MANY = 1_000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static Map<String, Double> quiet() {
        Map<String, Double> all = new HashMap<>();
        for (int i = 0; i < MANY; i++) {
            all.put("s" + i, 0.0);
        }
        return all;
    }

    private @Nullable Counter delivered(String subscription) {
        return registry.find("posthorn.delivered")
                .tag("subscription", subscription)
                .counter();
    }

    private double all(String name) {
        return registry.get("posthorn.all." + name).counter().count();
    }

    @Test
    void theBusiestAndTheTroubledAreShown() {
        ShownSubscriptions shown = new ShownSubscriptions(PerSubscription.of("busiest 3"));
        RelayMetrics relay = new RelayMetrics(registry, shown);
        relay.delivered("s7", "s7/0", 50);
        relay.delivered("s8", "s8/0", 40);
        relay.delivered("s9", "s9/0", 5);
        Map<String, Double> troubles = quiet();
        troubles.put("s500", 1_000.0);
        assertThat(shown.choose(troubles)).containsExactlyInAnyOrder("s500", "s7", "s8");
        assertThat(shown.isShown("s7")).isTrue();
        assertThat(shown.isShown("s9")).isFalse();
    }

    @Test
    void oneThatFallsBehindLosesItsSeriesAndTheTotalsStay() {
        ShownSubscriptions shown = new ShownSubscriptions(PerSubscription.of("busiest 1"));
        RelayMetrics relay = new RelayMetrics(registry, shown);
        relay.delivered("s1", "s1/0", 20);
        relay.delivered("s2", "s2/0", 1_000);
        assertThat(shown.choose(quiet())).isEqualTo(Set.of("s2"));
        assertThat(delivered("s1")).isNull();
        relay.delivered("s1", "s1/0", 1);
        assertThat(delivered("s1")).isNull();
        relay.delivered("s2", "s2/0", 3);
        assertThat(delivered("s2").count()).isEqualTo(3);
        assertThat(all("delivered")).isEqualTo(1_024);
        assertThat(registry.get("posthorn.all.attempts")
                        .tag("outcome", "delivered")
                        .counter()
                        .count())
                .isEqualTo(1_024);
    }

    @Test
    void whatHappensBeforeTheFirstReadingIsToldWhileThereIsRoom() {
        ShownSubscriptions shown = new ShownSubscriptions(PerSubscription.of("busiest 2"));
        RelayMetrics relay = new RelayMetrics(registry, shown);
        relay.delivered("s1", "s1/0", 10);
        relay.delivered("s2", "s2/0", 7);
        relay.delivered("s3", "s3/0", 5);
        assertThat(shown.choose(quiet())).containsExactlyInAnyOrder("s1", "s2");
        relay.delivered("s1", "s1/0", 1);
        assertThat(delivered("s1").count()).isEqualTo(11);
        assertThat(delivered("s2").count()).isEqualTo(7);
        assertThat(delivered("s3")).isNull();
    }

    @Test
    void whatWasTriedLongAgoCountsNoMore() {
        ShownSubscriptions shown = new ShownSubscriptions(PerSubscription.of("busiest 1"));
        RelayMetrics relay = new RelayMetrics(registry, shown);
        relay.delivered("s1", "s1/0", 1_000);
        for (int reading = 0; reading < 60; reading++) {
            shown.choose(quiet());
        }
        relay.delivered("s2", "s2/0", 20);
        assertThat(shown.choose(quiet())).isEqualTo(Set.of("s2"));
    }

    @Test
    void thereAreNeverMoreThanAskedFor() {
        ShownSubscriptions shown = new ShownSubscriptions(PerSubscription.of("busiest 5"));
        RelayMetrics relay = new RelayMetrics(registry, shown);
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < MANY; i++) {
                relay.delivered("s" + i, "s" + i + "/0", 1 + (i * 31 + round * 17) % 100);
            }
            shown.choose(quiet());
            assertThat(registry.find("posthorn.delivered").counters()).hasSizeLessThanOrEqualTo(5);
        }
        for (int i = 0; i < MANY; i++) {
            relay.delivered("s" + i, "s" + i + "/0", 1);
        }
        assertThat(registry.find("posthorn.delivered").counters()).hasSize(5);
    }

    @Test
    void noneIsNoneAndAllIsAll() {
        ShownSubscriptions none = new ShownSubscriptions(PerSubscription.of(" none "));
        new RelayMetrics(registry, none).delivered("s1", "s1/0", 4);
        assertThat(none.choose(quiet())).isEmpty();
        assertThat(delivered("s1")).isNull();
        assertThat(all("delivered")).isEqualTo(4);
        ShownSubscriptions all = new ShownSubscriptions(PerSubscription.of("all"));
        new RelayMetrics(registry, all).delivered("s1", "s1/0", 4);
        assertThat(delivered("s1").count()).isEqualTo(4);
        assertThat(all.choose(quiet())).hasSize(MANY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "some", "busiest", "busiest 0", "busiest many", "busiest 10001", "100", "ALL"})
    void anythingElseIsRefusedWithTheRemedy(String text) {
        assertThatThrownBy(() -> PerSubscription.of(text))
                .isInstanceOf(PosthornException.class)
                .hasMessage("is '" + text
                        + "'; it must be all, none, or busiest and a number from 1 to 10000, such as 'busiest 100'");
    }
}
