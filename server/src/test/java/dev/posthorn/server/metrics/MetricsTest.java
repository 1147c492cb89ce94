package dev.posthorn.server.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.audit.Actor;
import dev.posthorn.event.Event;
import dev.posthorn.metrics.RelayMetrics;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Every metric moves when what it is about happens. In one order, because the figures are read only now and then. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("slow")
class MetricsTest {

    private static final RecordingSink SINK = RecordingSink.oneAtATime()
            .answering(event -> switch (event.event().type()) {
                case "retry" -> new Outcome.Retry("busy");
                case "reject" -> new Outcome.Reject("no");
                default -> Outcome.DELIVERED;
            });
    private static final RecordingSink AWAY =
            RecordingSink.oneAtATime().answering(event -> new Outcome.Unavailable("connection refused"));

    private static final RecordingSink RETIRED =
            RecordingSink.oneAtATime().answering(event -> new Outcome.Gone("status 410", null));

    private static TestHub hub;
    private static Relay relay;

    @BeforeAll
    static void startAHubThatDelivers() {
        hub = TestHub.start();
        Database database = hub.bean(Database.class);
        relay = Relay.builder(database.direct())
                .listener(hub.bean(RelayMetrics.class))
                .subscribe(Subscription.to("billing", SINK)
                        .lanes(3)
                        .retry(RetryPolicy.of(5, Duration.ofHours(1)))
                        .build())
                .subscribe(Subscription.to("away", AWAY).lanes(1).build())
                .subscribe(Subscription.to("retired", RETIRED).lanes(1).build())
                .start();
        hub.rest().put("/v1/guards/legacy", "{\"url\": \"http://127.0.0.1:9/\"}");
        for (String type : List.of("fine", "fine", "reject", "retry", "behind")) {
            hub.record(Event.builder()
                    .source("shop")
                    .type(type)
                    .key(type.equals("reject") ? "r" : type.startsWith("fine") ? "f" : "k")
                    .json("{}")
                    .build());
        }
    }

    @AfterAll
    static void stop() {
        relay.close();
        hub.close();
    }

    private static Scrape scrape() {
        TestClient.Answer answer = hub.rest().get("/actuator/prometheus");
        assertThat(answer.status()).isEqualTo(200);
        return new Scrape(answer.text());
    }

    private static Scrape awaitScrape(Predicate<Scrape> until) {
        return await().atMost(60, SECONDS).until(MetricsTest::scrape, until);
    }

    @Test
    @Order(1)
    void whatTheRelayDoesIsCounted() {
        Map<String, Integer> expected = Map.of("delivered", 2, "reject", 1, "retry", 1);
        // A counter is there a moment before it counts, and one is counted after the other.
        Scrape scrape = awaitScrape(each -> each.of("posthorn_delivered_total") >= 2
                && each.of("posthorn_dead_lettered_total") >= 1
                && expected.entrySet().stream()
                        .allMatch(one -> attempts(each, one.getKey()).orElse(0) >= one.getValue()));
        assertThat(scrape.of("posthorn_delivered_total")).isEqualTo(2);
        assertThat(scrape.of("posthorn_dead_lettered_total")).isEqualTo(1);
        for (Map.Entry<String, Integer> each : expected.entrySet()) {
            assertThat(attempts(scrape, each.getKey())).hasValue(each.getValue());
        }
        awaitScrape(each -> each.of("posthorn_breaker_opened_total", "away") >= 1);
        String gone = "posthorn_attempts_total{outcome=\"gone\",subscription=\"retired\"}";
        assertThat(awaitScrape(each -> each.value(gone).orElse(0) > 0).value(gone))
                .as("the answer that paused it")
                .hasValue(1);
    }

    private static OptionalDouble attempts(Scrape scrape, String outcome) {
        return scrape.value("posthorn_attempts_total{outcome=\"%s\",subscription=\"billing\"}".formatted(outcome));
    }

    /** What takes a fault to bring about is told here as the relay would. */
    @Test
    @Order(2)
    void whatRarelyHappensIsCounted() {
        RelayListener listener = hub.bean(RelayMetrics.class);
        listener.leaseLost("billing", "billing/0", 3);
        listener.retentionHeld("billing", Duration.ofDays(8), 100);
        listener.overtaken("billing", SINK.received().get(0));
        listener.denialBegan("billing", "billing/0", "status 500");
        Scrape scrape = scrape();
        for (String name : List.of("leases_lost", "retention_held", "overtaken", "denial_began")) {
            assertThat(scrape.of("posthorn_" + name + "_total")).as(name).isEqualTo(1);
        }
    }

    @Test
    @Order(3)
    void howSubscriptionsAreDoingIsRead() {
        // What was on its way counts as pending until its lane has settled it.
        awaitScrape(each -> each.of("posthorn_held") == 1
                && each.of("posthorn_pending") == 1
                && each.of("posthorn_breaker_open", "away") == 1
                && each.of("posthorn_stuck") == 0);
        // Once more: a scrape during the first reading has some of the gauges and not yet the last.
        Scrape scrape = scrape();
        assertThat(scrape.of("posthorn_pending")).isEqualTo(1);
        assertThat(scrape.of("posthorn_waiting")).isEqualTo(1);
        assertThat(scrape.of("posthorn_blocked_keys")).isEqualTo(1);
        assertThat(scrape.of("posthorn_dead_letters")).isEqualTo(1);
        assertThat(scrape.of("posthorn_oldest_age_seconds")).isPositive();
        assertThat(scrape.of("posthorn_oldest_dead_letter_age_seconds")).isPositive();
        assertThat(scrape.of("posthorn_lanes")).isEqualTo(3);
        assertThat(scrape.of("posthorn_lanes_owned")).isEqualTo(3);
        assertThat(scrape.of("posthorn_paused")).isZero();
        assertThat(scrape.of("posthorn_breaker_open")).isZero();
        assertThat(scrape.of("posthorn_dead_letters", "away")).isZero();
        assertThat(scrape.of("posthorn_stuck")).isZero();
        assertThat(scrape.value("posthorn_database_up")).hasValue(1);
        assertThat(scrape.has("jvm_memory_used_bytes")).isTrue();
    }

    @Test
    @Order(4)
    void whatComesInIsCounted() {
        String series = "posthorn_ingested_total{outcome=\"duplicate\",protocol=\"grpc\"}";
        assertThat(scrape().value(series)).hasValue(0);
        hub.bean(IngestMetrics.class).count(IngestMetrics.Protocol.GRPC, IngestMetrics.Outcome.DUPLICATE, 7);
        assertThat(scrape().value(series)).hasValue(7);
    }

    @Test
    @Order(4)
    void everyEventThatIsRefusedIsCounted() {
        assertRefused(1, "{\"source\": \"shop\", \"typ\": \"fine\", \"data\": 1}");
        assertRefused(1, "{\"source\": \"shop\", \"type\": 7, \"version\": 0}");
        assertRefused(1, "{\"source\": \"shop\"");
        assertRefused(
                2,
                "[{\"source\": \"shop\"}, {\"source\": \"shop\", \"type\": \"fine\", \"data\": 1}, {\"x\": 1, \"y\": 2}]");
        String known = "{\"id\": \"o-1\", \"source\": \"shop\", \"type\": \"fine\", \"data\": %d}";
        assertRefused(0, known.formatted(1));
        assertRefused(1, known.formatted(2));
    }

    private static void assertRefused(int events, String body) {
        String series = "posthorn_ingested_total{outcome=\"refused\",protocol=\"rest\"}";
        double before = scrape().value(series).orElseThrow();
        int status = hub.rest().post("/v1/events", body).status();
        assertThat(status < 300).as(body + " is answered " + status).isEqualTo(events == 0);
        assertThat(scrape().value(series)).as(body).hasValue(before + events);
    }

    @Test
    @Order(5)
    void everyMetricOfAnAlertExists() throws IOException {
        Scrape scrape = awaitScrape(
                each -> each.value("posthorn_guard_in_doubt{guard=\"legacy\"}").isPresent());
        assertThat(metricsIn(Files.readString(Path.of("../docs/alerts.yaml"))))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(scrape.has(name)).as(name).isTrue());
        assertThat(Alerts.read().rules()).isNotEmpty().allSatisfy(rule -> {
            assertThat(rule).containsKeys("alert", "expr", "labels", "annotations");
            assertThat(String.valueOf(rule.get("expr"))).contains("posthorn_");
        });
    }

    @Test
    @Order(5)
    void theAlertsFireForWhatIsWrongAndForNothingElse() throws IOException {
        Map<String, Set<String>> firing = Alerts.read().firing(new Scrape(""), scrape());
        assertThat(firing.keySet())
                .containsExactlyInAnyOrder(
                        "PosthornDeadLetters", "PosthornManyRetries", "PosthornBreakerOpen", "PosthornRetentionHeld");
        assertThat(firing.get("PosthornDeadLetters")).containsExactly("billing");
        assertThat(firing.get("PosthornManyRetries")).contains("billing");
        assertThat(firing.get("PosthornBreakerOpen")).contains("away").doesNotContain("billing");
        assertThat(firing.get("PosthornRetentionHeld")).containsExactly("billing");
    }

    @Test
    @Order(5)
    void thereIsNoAlertThatCannotFire() throws IOException {
        Scrape wrong = new Scrape("""
                posthorn_database_up 0
                posthorn_dead_letters{subscription="a"} 1
                posthorn_oldest_dead_letter_age_seconds{subscription="a"} 86401
                posthorn_guard_in_doubt{guard="a"} 1
                posthorn_pending{subscription="a"} 1001
                posthorn_oldest_age_seconds{subscription="a"} 301
                posthorn_stuck{subscription="a"} 1
                posthorn_latency_seconds{subscription="a"} 301
                posthorn_attempts_total{outcome="delivered",subscription="a"} 17
                posthorn_attempts_total{outcome="retry",subscription="a"} 2
                posthorn_breaker_open{subscription="a"} 1
                posthorn_denial{subscription="a"} 1
                posthorn_lanes{subscription="a"} 3
                posthorn_lanes_owned{subscription="a"} 2
                posthorn_retention_held_total{subscription="a"} 1
                posthorn_ingested_total{outcome="unavailable",protocol="a"} 1
                """);
        Alerts alerts = Alerts.read();
        assertThat(alerts.firing(new Scrape(""), wrong).keySet()).isEqualTo(alerts.names());
        assertThat(alerts.firing(wrong, wrong).keySet())
                .as("what was counted long ago is over")
                .doesNotContain("PosthornManyRetries", "PosthornRetentionHeld", "PosthornIngestUnavailable")
                .hasSize(alerts.names().size() - 3);
    }

    @Test
    @Order(6)
    void theDocumentationNamesTheMetricsThatThereAreAndNoOthers() throws IOException {
        String text = Files.readString(Path.of("../docs/monitoring.md"));
        assertThat(metricsIn(text)).isEqualTo(metricsIn(scrape().text()));
    }

    private static Set<String> metricsIn(String text) {
        return Pattern.compile("\\bposthorn_[a-z_]+[a-z]")
                .matcher(text.replaceAll("(?m)^#.*\n", ""))
                .results()
                .map(found -> found.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    @Order(7)
    void aSubscriptionThatIsGoneIsNoLongerTold() {
        Database database = hub.bean(Database.class);
        Subscriptions subscriptions = new Subscriptions(database.calls(), database.schema());
        subscriptions.pause("away", null, Actor.named("ops"));
        awaitScrape(each -> each.of("posthorn_paused", "away") == 1);
        relay.close();
        subscriptions.delete("away", null, Actor.named("ops"));
        Scrape scrape = awaitScrape(each -> Double.isNaN(each.of("posthorn_pending", "away")));
        assertThat(scrape.text()).doesNotContain("posthorn_pending{subscription=\"away\"}");
        awaitScrape(each -> each.of("posthorn_lanes_owned") == 0);
    }
}
