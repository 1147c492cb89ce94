package dev.posthorn.server.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.metrics.PerSubscription;
import dev.posthorn.metrics.ShownSubscriptions;
import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GaugeKeeperTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private Scrape scrape() {
        return new Scrape(registry.scrape());
    }

    private Duration timeOfAScrape() {
        long start = System.nanoTime();
        scrape();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private GaugeKeeper keeper(TestHub hub, Duration interval, Duration keptFor) {
        GaugeKeeper keeper = new GaugeKeeper(
                hub.bean(Database.class),
                registry,
                new ShownSubscriptions(PerSubscription.ALL),
                new GaugeKeeper.Timing(interval, interval, keptFor),
                figures -> {});
        keeper.start();
        return keeper;
    }

    private static void subscribe(TestHub hub) {
        Relay.builder(hub.bean(Database.class).direct())
                .subscribe(
                        Subscription.to("billing", RecordingSink.oneAtATime()).build())
                .start()
                .close();
    }

    private static void record(TestHub hub) {
        hub.record(Event.builder().source("s").type("t").json("{}").build());
    }

    @Test
    void aScrapeDoesNotAskTheDatabase() {
        try (TestHub hub = TestHub.start()) {
            subscribe(hub);
            GaugeKeeper keeper = keeper(hub, LONG, LONG);
            await().atMost(60, SECONDS).until(() -> scrape().of("posthorn_pending") == 0);
            record(hub);
            for (int i = 0; i < 50; i++) {
                assertThat(scrape().of("posthorn_pending")).isZero();
            }
            keeper.stop();
        }
    }

    @Test
    void whenTheDatabaseIsAwayTheLastFiguresAgeOutAndNoScrapeWaits() {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary();
                TestHub hub = TestHub.startOn(
                        server.jdbcUrl(),
                        Map.of(
                                "posthorn.database.user", server.user(),
                                "posthorn.database.password", server.password(),
                                "posthorn.database.connect-timeout", "1s"))) {
            subscribe(hub);
            record(hub);
            GaugeKeeper keeper = keeper(hub, Duration.ofMillis(100), Duration.ofSeconds(3));
            await().atMost(60, SECONDS).until(() -> scrape().of("posthorn_pending") == 1);
            server.stop();
            await().atMost(60, SECONDS)
                    .until(() -> scrape().value("posthorn_database_up").orElseThrow() == 0);
            await().atMost(60, SECONDS).until(() -> Double.isNaN(scrape().of("posthorn_pending")));
            assertThatCode(this::scrape).doesNotThrowAnyException();
            // One that waited for the database would do so every time; one that waits for a busy machine does not.
            await().atMost(60, SECONDS).until(() -> timeOfAScrape().compareTo(Duration.ofMillis(500)) < 0);
            server.start();
            await().atMost(60, SECONDS).until(() -> scrape().of("posthorn_pending") == 1);
            // The pool may still hold a connection of before.
            await().atMost(60, SECONDS)
                    .until(() -> scrape().value("posthorn_database_up").orElseThrow() == 1);
            keeper.stop();
        }
    }
}
