package dev.posthorn.server.events;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What people and alerts ask beyond one event: how many, how long, and which may not arrive. */
class FiguresTest {

    private static final int EVENTS = 3;

    private static final RecordingSink HANGING = RecordingSink.oneAtATime();

    private static TestHub hub;
    private static Relay relay;

    /** One subscription takes all, one hangs, one has refused all once and has one attempt left, one refuses for good. */
    @BeforeAll
    static void startAHubThatDelivers() {
        hub = TestHub.start();
        HANGING.hold();
        RecordingSink moody = RecordingSink.oneAtATime().answering(event -> new Outcome.Retry("busy"));
        RecordingSink picky = RecordingSink.oneAtATime().answering(event -> new Outcome.Reject("no"));
        relay = Relay.builder(hub.bean(Database.class).direct())
                .subscribe(Subscription.to("billing", RecordingSink.oneAtATime())
                        .lanes(1)
                        .build())
                .subscribe(Subscription.to("hanging", HANGING)
                        .timeout(Duration.ofMinutes(5))
                        .lanes(1)
                        .build())
                .subscribe(Subscription.to("moody", moody)
                        .retry(RetryPolicy.of(2, Duration.ofHours(1)))
                        .lanes(1)
                        .build())
                .subscribe(Subscription.to("picky", picky).lanes(1).build())
                .sessionTtl(Duration.ofMinutes(11))
                .start();
        for (int i = 0; i < EVENTS; i++) {
            hub.record(Event.builder()
                    .source("shop")
                    .type("order.placed")
                    .key("k" + i)
                    .json("{}")
                    .build());
        }
        await().atMost(90, SECONDS)
                .until(() -> counted("billing", "delivered") == EVENTS
                        && counted("hanging", "sending") == EVENTS
                        && counted("moody", "waiting") == EVENTS
                        && counted("picky", "failed") == EVENTS);
    }

    @AfterAll
    static void stop() {
        HANGING.answerAll();
        relay.close();
        hub.close();
    }

    private static JsonNode get(String path) {
        TestClient.Answer answer = hub.rest().get(path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode counts(String subscription) {
        return get("/v1/status/counts?subscription=" + subscription)
                .get("items")
                .get(0);
    }

    private static long counted(String subscription, String status) {
        return counts(subscription).get(status).get("value").asLong();
    }

    @Test
    void eachStatusOfASubscriptionIsCountedAndSaysWhetherItIsExact() {
        JsonNode moody = counts("moody");
        assertThat(moody.propertyNames())
                .containsExactlyInAnyOrder(
                        "subscription", "pending", "waiting", "sending", "held", "delivered", "failed", "discarded");
        assertThat(moody.get("subscription").asString()).isEqualTo("moody");
        assertThat(moody.get("pending").get("value").asLong()).isEqualTo(EVENTS);
        assertThat(moody.get("pending").get("exact").asBoolean()).isTrue();
        assertThat(moody.get("delivered").get("exact").asBoolean()).isFalse();
        assertThat(counts("picky").get("failed").get("exact").asBoolean()).isTrue();
    }

    @Test
    void allSubscriptionsAreCountedByNameAPageAtATime() {
        JsonNode first = get("/v1/status/counts?limit=3");
        assertThat(first.get("items")).hasSize(3);
        assertThat(first.get("items").get(0)).isEqualTo(counts("billing"));
        JsonNode second =
                get("/v1/status/counts?limit=3&after=" + first.get("next").asString());
        assertThat(second.get("items")).hasSize(1);
        assertThat(second.get("items").get(0)).isEqualTo(counts("picky"));
        assertThat(second.has("next")).isFalse();
    }

    @Test
    void eventsNearTheirLastAttemptAreNamed() {
        JsonNode near = get("/v1/status/near-last-attempt");
        assertThat(near.get("complete").asBoolean()).isTrue();
        assertThat(near.get("items")).hasSize(EVENTS);
        JsonNode one = near.get("items").get(0);
        assertThat(one.get("subscription").asString()).isEqualTo("moody");
        assertThat(one.get("attempts").asInt()).isEqualTo(1);
        assertThat(one.get("maxAttempts").asInt()).isEqualTo(2);
        assertThat(one.get("errorMessage").asString()).isEqualTo("busy");
        assertThat(one.has("nextAttemptAt") && one.has("lastFailedAt")).isTrue();
        JsonNode event = get("/v1/events/" + one.get("eventId").asString());
        assertThat(event.get("key")).isEqualTo(one.get("key"));

        JsonNode cut = get("/v1/status/near-last-attempt?subscription=moody&limit=1");
        assertThat(cut.get("items")).hasSize(1);
        assertThat(cut.get("complete").asBoolean()).isFalse();
        assertThat(get("/v1/status/near-last-attempt?left=0").get("items")).isEmpty();
        assertThat(get("/v1/status/near-last-attempt?subscription=billing").get("items"))
                .isEmpty();
    }

    @Test
    void eachEventSaysSinceWhenAndAfterWhichFailure() {
        JsonNode subscriptions = get("/v1/events?limit=1").get("items").get(0).get("subscriptions");
        assertThat(subscriptions).hasSize(4);
        for (JsonNode each : subscriptions) {
            String name = each.get("subscription").asString();
            assertThat(each.has("lastStatusAt")).as(name).isTrue();
            assertThat(each.has("lastFailedAt")).as(name).isEqualTo(name.equals("moody") || name.equals("picky"));
        }
        JsonNode moody = subscriptions.get(2);
        assertThat(moody.get("status").asString()).isEqualTo("PENDING");
        assertThat(moody.get("errorMessage").asString()).isEqualTo("busy");
        assertThat(moody.get("errorClass").asString()).isEqualTo("unknown");
        Instant failed = Instant.parse(moody.get("lastFailedAt").asString());
        assertThat(Instant.parse(moody.get("lastStatusAt").asString()))
                .as("written by the same statement")
                .isBetween(failed, failed.plusSeconds(60));
    }

    @Test
    void eventsThatAreStuckAtAReceiverAreNamedWithTheirLane() {
        JsonNode stuck = get("/v1/status/stuck?stuckFor=0s&subscription=hanging");
        assertThat(stuck.get("items")).hasSize(EVENTS);
        assertThat(stuck.get("complete").asBoolean()).isTrue();
        JsonNode one = stuck.get("items").get(0);
        assertThat(one.get("subscription").asString()).isEqualTo("hanging");
        assertThat(one.get("owner").asString()).isEqualTo(relay.instance());
        assertThat(one.get("lane").asInt()).isZero();
        assertThat(one.get("type").asString()).isEqualTo("order.placed");
        assertThat(one.has("movedAt") && one.has("recordedAt") && one.has("leaseExpiresAt"))
                .isTrue();
        assertThat(get("/v1/status/stuck?stuckFor=0s&limit=1").get("complete").asBoolean())
                .isFalse();
        assertThat(get("/v1/status/stuck?stuckFor=0s&subscription=billing").get("items"))
                .isEmpty();
        assertThat(get("/v1/status/stuck").get("items"))
                .as("not for 30 minutes yet")
                .isEmpty();
    }

    @Test
    void latencyIsAnAverageOverAPeriodOrBetweenTimes() {
        for (String span : new String[] {"", "&period=1h", "&from=2020-01-01T00:00:00Z&to=2099-01-01T00:00:00Z"}) {
            JsonNode latency = get("/v1/status/latency?subscription=billing" + span);
            assertThat(latency.get("subscription").asString()).isEqualTo("billing");
            assertThat(latency.get("sample").asInt()).as(span).isPositive();
            assertThat(latency.get("average").asString()).matches("\\d+(ms|s)");
        }
        JsonNode none =
                get("/v1/status/latency?subscription=billing&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z");
        assertThat(none.get("sample").asInt()).isZero();
        assertThat(none.has("average")).isFalse();
    }

    @Test
    void whatCannotBeMeantIsRefusedByName() {
        Map<String, String> refusals = Map.ofEntries(
                Map.entry("counts?limit=0", "limit: must be"),
                Map.entry("counts?after=!", "after: is not a token"),
                Map.entry("counts?subscription=%00", "subscription holds a NUL"),
                Map.entry("counts?subscripton=x", "did you mean subscription?"),
                Map.entry("near-last-attempt?left=-1", "left is -1"),
                Map.entry("near-last-attempt?left=x", "left: is 'x'"),
                Map.entry("stuck?stuckFor=soon", "stuckFor: is 'soon'; write it like 500ms"),
                Map.entry("stuck?stuckFor=400d", "stuckFor: is 400d; the most is 366d"),
                Map.entry("latency", "subscription: is missing"),
                Map.entry("latency?subscription=billing&period=0s", "period is 0"),
                Map.entry("latency?subscription=billing&from=2020-01-01T00:00:00Z", "to: is missing"),
                Map.entry(
                        "latency?subscription=billing&period=1h&to=2020-01-01T00:00:00Z",
                        "period: is given with to; give either"),
                Map.entry(
                        "latency?subscription=billing&from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z",
                        "from must be before to"));
        refusals.forEach((query, words) -> assertRefused(query, 400, words));
        for (String query : new String[] {"counts", "near-last-attempt", "stuck", "latency"}) {
            assertRefused(query + "?subscription=nobody", 404, "there is no subscription named 'nobody'");
        }
    }

    private static void assertRefused(String query, int status, String words) {
        TestClient.Answer answer = hub.rest().get("/v1/status/" + query);
        assertThat(answer.status()).as(query + " " + answer.text()).isEqualTo(status);
        assertThat(answer.json().get("detail").asString()).as(query).contains(words);
    }
}
