package dev.posthorn.server.events;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What came last: attempts, events that a filter would want, and an event by whatever is known of it. */
class RecentTest {

    private static final Receiver receiver = Receiver.start().answering(500, "not now");
    private static TestHub hub;
    private static TestClient rest;
    private static UUID order;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
        rest = hub.rest();
        for (String name : List.of("crm", "billing")) {
            String body = """
                    {"filter": {"types": ["order.*"]}, "lanes": 1, "retry": {"maxAttempts": 3, "delays": ["10ms"]},
                     "breakerAfter": 1000, "sink": {"kind": "http", "url": "%s"}}
                    """.formatted(receiver.url("/" + name));
            assertThat(rest.put("/v1/subscriptions/" + name, body).status()).isEqualTo(201);
        }
        order = hub.record(Event.builder()
                .source("shop")
                .type("order.placed")
                .key("k-1")
                .header("tenant", "7")
                .json("{\"big\": 12345678901234567890.10}")
                .build());
        hub.record(
                Event.builder().source("shop").type("user.created").json("{}").build());
        await().atMost(60, SECONDS).until(() -> letters() == 2);
    }

    @AfterAll
    static void stop() {
        hub.close();
        receiver.close();
    }

    private static int letters() {
        return rest.get("/v1/dlt-messages").json().path("items").size();
    }

    private static List<JsonNode> items(JsonNode page) {
        return StreamSupport.stream(page.path("items").spliterator(), false).toList();
    }

    @Test
    void theAttemptsOfASubscriptionComeNewestFirstAndInPages() {
        List<JsonNode> all = items(rest.get("/v1/subscriptions/crm/attempts").json());
        assertThat(all.stream().map(each -> each.path("number").asInt())).containsExactly(3, 2, 1);
        assertThat(all).allSatisfy(each -> {
            assertThat(each.path("eventId").asString()).isEqualTo(order.toString());
            assertThat(each.path("type").asString()).isEqualTo("order.placed");
            assertThat(each.path("key").asString()).isEqualTo("k-1");
            assertThat(each.path("replyCode").asInt()).isEqualTo(500);
            assertThat(each.has("reply")).isFalse();
        });
        JsonNode first = rest.get("/v1/subscriptions/crm/attempts?limit=2").json();
        JsonNode second = rest.get("/v1/subscriptions/crm/attempts?limit=2&after="
                        + first.path("next").asString())
                .json();
        assertThat(items(first)).isEqualTo(all.subList(0, 2));
        assertThat(items(second)).isEqualTo(all.subList(2, 3));
        assertThat(second.has("next")).isFalse();
    }

    @Test
    void attemptsAreChosenByTheirOutcome() {
        assertThat(items(rest.get("/v1/subscriptions/crm/attempts?outcome=failed")
                        .json()))
                .hasSize(3);
        assertThat(items(rest.get("/v1/subscriptions/crm/attempts?outcome=delivered")
                        .json()))
                .isEmpty();
        assertField("/v1/subscriptions/crm/attempts?outcome=odd", "outcome");
        assertField("/v1/subscriptions/crm/attempts?after=x", "after");
        assertThat(rest.get("/v1/subscriptions/nobody/attempts").status()).isEqualTo(404);
    }

    private static void assertField(String path, String field) {
        TestClient.Answer answer = rest.get(path);
        assertThat(answer.status()).as(path).isEqualTo(400);
        assertThat(answer.json().path("violations").path(0).path("field").asString())
                .isEqualTo(field);
    }

    @Test
    void tellsWhichOfTheNewestEventsAFilterWouldWant() {
        JsonNode some = rest.post("/v1/subscriptions/match", """
                {"filter": {"types": ["order.*"], "headers": {"tenant": "7"}}}""").json();
        assertThat(some.path("looked").asInt()).isBetween(2, 3);
        assertThat(some.path("matched").asInt()).isEqualTo(1);
        assertThat(some.path("sample").path(0).path("id").asString()).isEqualTo(order.toString());
        assertThat(some.path("types").path(0).path("type").asString()).isEqualTo("order.placed");
        JsonNode all = rest.post("/v1/subscriptions/match", "{}").json();
        assertThat(all.path("matched")).isEqualTo(all.path("looked"));
        assertThat(rest.post("/v1/subscriptions/match", "{\"filter\": {\"headers\": {\"tenant\": \"8\"}}}")
                        .json()
                        .path("matched")
                        .asInt())
                .isZero();
        TestClient.Answer wrong = rest.post("/v1/subscriptions/match", "{\"filter\": {\"types\": [\"a\", \" \"]}}");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.json().path("violations").path(0).path("field").asString())
                .isEqualTo("filter.types[1]");
    }

    @Test
    void anEventIsListedByItsId() {
        List<JsonNode> found = items(rest.get("/v1/events?id=" + order).json());
        assertThat(found).hasSize(1);
        assertThat(found.get(0).path("status").asString()).isEqualTo("FAILED");
        assertThat(items(rest.get("/v1/events?source=other&id=" + order).json()))
                .isEmpty();
        assertThat(items(rest.get("/v1/events?id=" + UUID.randomUUID()).json())).isEmpty();
        assertField("/v1/events?type=a&id=" + order, "id");
    }

    @Test
    void aPayloadComesAsTheTextThatWasRecordedIfThatIsWanted() {
        JsonNode event = rest.get("/v1/events/" + order + "?payload=text").json();
        assertThat(event.path("dataText").asString()).isEqualTo("{\"big\": 12345678901234567890.10}");
        assertThat(event.has("data")).isFalse();
        long letter = items(rest.get("/v1/dlt-messages?subscriberId=crm").json())
                .get(0)
                .path("id")
                .asLong();
        assertThat(rest.get("/v1/dlt-messages/" + letter + "?payload=text")
                        .json()
                        .path("dataText")
                        .asString())
                .isEqualTo("{\"big\": 12345678901234567890.10}");
        assertField("/v1/events/" + order + "?payload=maybe", "payload");
    }

    @Test
    void aGroupTellsItsTrendIfThatIsWanted() {
        JsonNode group = items(rest.get("/v1/dlt-messages/groups?subscriberId=crm&trend=true")
                        .json())
                .get(0);
        assertThat(group.path("trend").size()).isEqualTo(24);
        assertThat(group.path("trend").path(23).asInt()).isEqualTo(1);
        assertThat(items(rest.get("/v1/dlt-messages/groups?subscriberId=crm").json())
                        .get(0)
                        .has("trend"))
                .isFalse();
    }

    @Test
    void oneEventIsSentAgainToOneSubscription() {
        receiver.answering(200, "");
        try {
            UUID event = hub.record(
                    Event.builder().source("shop").type("order.paid").json("{}").build());
            await().atMost(60, SECONDS)
                    .until(() -> rest.get("/v1/events/" + event)
                            .json()
                            .path("status")
                            .asString()
                            .equals("DELIVERED"));
            String ask = "{\"history\": {\"subscriberId\": \"crm\", \"eventId\": \"" + event + "\"}}";
            long before = sent("/crm", "order.paid");
            TestClient.Answer started = rest.post("/v1/replay", ask);
            assertThat(started.status()).as(started.text()).isEqualTo(202);
            assertThat(started.json().path("requested").asInt()).isEqualTo(1);
            await().atMost(60, SECONDS).until(() -> sent("/crm", "order.paid") == before + 1);
            assertThat(sent("/billing", "order.paid")).isEqualTo(1);
        } finally {
            receiver.answering(500, "not now");
        }
        assertThat(rest.post("/v1/replay", """
                {"history": {"subscriberId": "crm", "eventId": "%s", "key": "k"}}""".formatted(order)).status()).isEqualTo(400);
        assertThat(rest.post("/v1/replay", """
                {"history": {"subscriberId": "crm", "eventId": "%s"}}""".formatted(UUID.randomUUID())).status())
                .isEqualTo(404);
    }

    private static long sent(String path, String type) {
        return receiver.types(path).stream().filter(type::equals).count();
    }

    @Test
    void aSubscriptionIsCheckedAndNotStored() {
        JsonNode good = check("""
                {"name": "new", "sink": {"kind": "http", "url": "%s"}}""".formatted(receiver.url("/")));
        assertThat(good.path("valid").asBoolean()).isTrue();
        assertThat(good.path("exists").asBoolean()).isFalse();
        assertThat(rest.get("/v1/subscriptions/new").status()).isEqualTo(404);
        JsonNode wrong = check("""
                {"name": "new", "lanes": 0, "sink": {"kind": "http", "url": "ftp://x"}}""");
        assertThat(wrong.path("valid").asBoolean()).isFalse();
        assertThat(wrong.path("violations").size()).isPositive();
        assertThat(check("{\"name\": \"new\", \"colour\": 1}")
                        .path("violations")
                        .size())
                .isEqualTo(2);
        assertThat(check("{}").path("violations").path(0).path("field").asString())
                .isEqualTo("name");
        JsonNode changed = check("""
                {"name": "crm", "description": "other", "sink": {"kind": "http", "url": "%s"}}""".formatted(receiver.url("/crm")));
        assertThat(changed.path("exists").asBoolean()).isTrue();
        assertThat(StreamSupport.stream(changed.path("changed").spliterator(), false)
                        .map(JsonNode::asString))
                .contains("description", "filter");
        assertThat(Map.of(
                        "revision",
                        rest.get("/v1/subscriptions/crm")
                                .json()
                                .path("revision")
                                .asInt()))
                .containsEntry("revision", 1);
    }

    private static JsonNode check(String body) {
        TestClient.Answer answer = rest.post("/v1/subscriptions/check", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }
}
