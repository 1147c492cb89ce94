package dev.posthorn.server.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.TestHub;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A hub with many subscriptions need not have series of each. */
class FewSeriesTest {

    private static String scrape(TestHub hub) {
        return hub.rest().get("/actuator/prometheus").text();
    }

    private static void subscribe(TestHub hub, int from, int to) {
        String all = IntStream.range(from, to)
                .mapToObj(i -> "{\"name\": \"s%d\", \"filter\": {\"types\": [\"t%d\"]}, \"sink\": {\"kind\": \"http\","
                                .formatted(i, i)
                        + " \"url\": \"http://127.0.0.1:9/\"}}")
                .collect(Collectors.joining(","));
        assertThat(hub.rest()
                        .post("/v1/subscriptions", "{\"subscriptions\": [" + all + "]}")
                        .status())
                .isEqualTo(201);
    }

    private static long series(String scrape, String metric) {
        return scrape.lines().filter(line -> line.startsWith(metric + "{")).count();
    }

    @Test
    void onlyTheBusiestHaveThemAndTheTotalsAreOfAll() {
        try (TestHub hub = TestHub.start(
                Map.of("posthorn.relay.enabled", "false", "posthorn.metrics.per-subscription", "busiest 3"))) {
            subscribe(hub, 0, 30);
            for (String type : List.of("t17", "t17", "t17", "t17", "t17", "t3", "t3", "t9", "t9", "t20", "t21")) {
                hub.record(Event.builder().source("shop").type(type).json("{}").build());
            }
            // The figures are there a moment before it is chosen by them whose are shown.
            String scrape = await().atMost(60, SECONDS)
                    .until(
                            () -> scrape(hub),
                            each -> each.contains("posthorn_all_pending 11.0")
                                    && each.contains("posthorn_pending{subscription=\"s17\"} 5.0")
                                    && each.contains("posthorn_pending{subscription=\"s3\"} 2.0")
                                    && each.contains("posthorn_pending{subscription=\"s9\"} 2.0"));
            assertThat(series(scrape, "posthorn_pending")).isEqualTo(3);
            assertThat(series(scrape, "posthorn_lanes")).isEqualTo(3);
            assertThat(scrape).contains("posthorn_all_subscriptions 30.0").contains("posthorn_all_lanes 120.0");
        }
    }

    @Test
    void aThousandHaveThemIfNothingIsSaid() {
        try (TestHub hub = TestHub.start(Map.of("posthorn.relay.enabled", "false"))) {
            subscribe(hub, 0, 1000);
            subscribe(hub, 1000, 1001);
            String scrape = await().atMost(60, SECONDS)
                    .until(
                            () -> scrape(hub),
                            each -> each.contains("posthorn_all_subscriptions 1001.0")
                                    && series(each, "posthorn_pending") >= 1000);
            assertThat(series(scrape, "posthorn_pending")).isEqualTo(1000);
        }
    }

    @Test
    void noneHasThemIfNoneIsWanted() {
        try (TestHub hub =
                TestHub.start(Map.of("posthorn.relay.enabled", "false", "posthorn.metrics.per-subscription", "none"))) {
            subscribe(hub, 0, 3);
            String scrape = await().atMost(60, SECONDS)
                    .until(() -> scrape(hub), each -> each.contains("posthorn_all_subscriptions 3.0"));
            assertThat(scrape).doesNotContain("subscription=\"");
        }
    }
}
