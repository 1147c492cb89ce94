package dev.posthorn.server.overview;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.rollup.RollupKeeper;
import dev.posthorn.testkit.Receiver;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A hub with a subscription that is well, one whose receiver refuses everything, and one that is paused. */
class OverviewTest {

    private static final Receiver well = Receiver.start();
    private static final Receiver refusing = Receiver.start().answering(400, "no");
    private static TestHub hub;
    private static TestClient rest;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.relay.instance", "the-hub"));
        rest = hub.rest();
        put("a-well", well, "[\"order.*\"]");
        put("b-refused", refusing, "[\"order.*\"]");
        put("c-paused", well, "[\"order.*\"]");
        assertThat(rest.post("/v1/subscriptions/c-paused/pause", "{}").status()).isIn(200, 202);
        for (int i = 0; i < 5; i++) {
            hub.record(Event.builder()
                    .source("shop")
                    .type("order.placed")
                    .json("{}")
                    .build());
        }
        await().atMost(60, SECONDS).until(() -> well.count() == 5 && letters() == 5);
        hub.bean(RollupKeeper.class).write();
    }

    @AfterAll
    static void stop() {
        hub.close();
        well.close();
        refusing.close();
    }

    private static void put(String name, Receiver receiver, String types) {
        String body = """
                {"filter": {"types": %s}, "lanes": 1, "retry": {"maxAttempts": 1, "delays": ["1s"]},
                 "sink": {"kind": "http", "url": "%s"}}
                """.formatted(types, receiver.url("/"));
        assertThat(rest.put("/v1/subscriptions/" + name, body).status()).isEqualTo(201);
    }

    private static long letters() {
        return rest.get("/v1/overview").json().path("now").path("deadLetters").asLong();
    }

    private static List<String> names(JsonNode lines) {
        return StreamSupport.stream(lines.path("items").spliterator(), false)
                .map(each -> each.path("name").asString())
                .toList();
    }

    @Test
    void tellsHowEverythingIsDoing() {
        await().atMost(60, SECONDS).untilAsserted(() -> {
            JsonNode seen = rest.get("/v1/overview").json();
            assertThat(seen.path("databaseReady").asBoolean()).isTrue();
            JsonNode now = seen.path("now");
            assertThat(now.path("subscriptions").asInt()).isEqualTo(3);
            assertThat(now.path("deadLetters").asInt()).isEqualTo(5);
            assertThat(now.path("pending").path("count").asInt()).isEqualTo(5);
            assertThat(now.path("oldestSubscription").asString()).isEqualTo("c-paused");
            assertThat(now.path("inTrouble").asInt()).isEqualTo(1);
            assertThat(now.path("paused").asInt()).isEqualTo(1);
            assertThat(seen.path("hubs").size()).isEqualTo(1);
            JsonNode me = seen.path("hubs").path(0);
            assertThat(me.path("instance").asString()).isEqualTo("the-hub");
            assertThat(me.path("me").asBoolean()).isTrue();
            assertThat(me.path("alive").asBoolean()).isTrue();
            assertThat(me.path("lanes").asInt()).isEqualTo(3);
            assertThat(me.path("subscriptions").asInt()).isEqualTo(3);
            assertThat(seen.path("lastHour").path("delivered").size()).isEqualTo(360);
            assertThat(seen.path("lastHour").path("recorded").size()).isEqualTo(360);
        });
    }

    @Test
    void whatDidNotGoWellIsAnAlertAtOnce() {
        JsonNode alerts = rest.get("/v1/overview").json().path("alerts");
        assertThat(alerts.size()).isEqualTo(1);
        JsonNode alert = alerts.path(0);
        assertThat(alert.path("name").asString()).isEqualTo("PosthornDeadLetters");
        assertThat(alert.path("severity").asString()).isEqualTo("critical");
        assertThat(alert.path("subscription").asString()).isEqualTo("b-refused");
        assertThat(alert.path("summary").asString()).isEqualTo("b-refused has 5 dead letters");
        assertThat(alert.path("remedy").asString()).isNotEmpty();
    }

    /** What was counted is written down within the ten seconds, and seen when they are over. */
    @Test
    void whatWasDoneComesIntoTheSeries() {
        await().atMost(60, SECONDS).untilAsserted(() -> {
            JsonNode hour = rest.get("/v1/overview").json().path("lastHour");
            assertThat(sum(hour.path("delivered"))).isEqualTo(5);
            assertThat(sum(hour.path("failed"))).isEqualTo(5);
            assertThat(sum(hour.path("deadLettered"))).isEqualTo(5);
        });
        JsonNode its = rest.get("/v1/subscriptions/b-refused/series?period=2h").json();
        assertThat(its.path("stepSeconds").asInt()).isEqualTo(60);
        assertThat(its.path("delivered").size()).isEqualTo(120);
        assertThat(its.has("recorded")).isFalse();
        assertThat(sum(its.path("failed"))).isEqualTo(5);
        assertThat(sum(its.path("delivered"))).isZero();
    }

    private static long sum(JsonNode numbers) {
        return StreamSupport.stream(numbers.spliterator(), false)
                .mapToLong(JsonNode::asLong)
                .sum();
    }

    @Test
    void theListBeginsWithTrouble() {
        JsonNode lines = rest.get("/v1/overview/subscriptions").json();
        assertThat(names(lines)).containsExactly("b-refused", "c-paused", "a-well");
        JsonNode refused = lines.path("items").path(0);
        assertThat(refused.path("trouble").asString()).isIn("dead-letters", "denial");
        assertThat(refused.path("sink").asString()).isEqualTo("http");
        assertThat(refused.path("deadLetters").asInt()).isEqualTo(5);
        assertThat(refused.path("lanes").asInt()).isEqualTo(1);
        assertThat(refused.path("ownedLanes").asInt()).isEqualTo(1);
        assertThat(refused.path("errorRate").asDouble()).isEqualTo(1);
        assertThat(refused.path("failedPerMinute").size()).isEqualTo(60);
        assertThat(sum(refused.path("failedPerMinute"))).isEqualTo(5);
        assertThat(lines.path("items").path(1).path("trouble").asString()).isEqualTo("paused");
        assertThat(lines.path("items").path(2).has("trouble")).isFalse();
    }

    @Test
    void theListComesInPagesByTroubleByNameAndByRate() {
        for (String sort : List.of("trouble", "name", "rate")) {
            List<String> whole =
                    names(rest.get("/v1/overview/subscriptions?sort=" + sort).json());
            JsonNode first =
                    rest.get("/v1/overview/subscriptions?limit=2&sort=" + sort).json();
            JsonNode second = rest.get("/v1/overview/subscriptions?limit=2&sort=" + sort + "&after="
                            + first.path("next").asString())
                    .json();
            assertThat(first.path("total").asInt()).isEqualTo(3);
            assertThat(names(first)).as(sort).isEqualTo(whole.subList(0, 2));
            assertThat(names(second)).as(sort).isEqualTo(whole.subList(2, 3));
            assertThat(second.has("next")).isFalse();
        }
        assertThat(names(rest.get("/v1/overview/subscriptions?search=WELL").json()))
                .containsExactly("a-well");
        assertThat(names(rest.get("/v1/overview/subscriptions?troubled=true").json()))
                .containsExactly("b-refused", "c-paused");
    }

    @Test
    void refusesWhatItCannotDoAndNamesTheParameter() {
        JsonNode first =
                rest.get("/v1/overview/subscriptions?limit=1&sort=name").json();
        for (Map.Entry<String, String> each : Map.of(
                        "/v1/overview/subscriptions?sort=size",
                        "sort",
                        "/v1/overview/subscriptions?troubled=perhaps",
                        "troubled",
                        "/v1/overview/subscriptions?after=x",
                        "after",
                        "/v1/overview/subscriptions?sort=rate&after="
                                + first.path("next").asString(),
                        "after",
                        "/v1/overview/subscriptions?limit=1001",
                        "limit",
                        "/v1/subscriptions/a-well/series?period=2d",
                        "period",
                        "/v1/subscriptions/a-well/series?period=1s",
                        "period")
                .entrySet()) {
            TestClient.Answer answer = rest.get(each.getKey());
            assertThat(answer.status()).as(each.getKey()).isEqualTo(400);
            assertThat(answer.json().path("violations").path(0).path("field").asString())
                    .as(each.getKey())
                    .isEqualTo(each.getValue());
        }
        assertThat(rest.get("/v1/subscriptions/nobody/series").status()).isEqualTo(404);
    }

    @Test
    void tellsWhoOneIs() {
        JsonNode me = rest.get("/v1/me").json();
        assertThat(me.path("name").asString()).isEqualTo("local");
        assertThat(me.path("role").asString()).isEqualTo("admin");
        assertThat(me.path("payload").asBoolean()).isTrue();
        assertThat(me.path("keys").asBoolean()).isFalse();
        assertThat(me.path("instance").asString()).isEqualTo("the-hub");
        assertThat(me.path("version").asString()).isNotEmpty();
    }
}
