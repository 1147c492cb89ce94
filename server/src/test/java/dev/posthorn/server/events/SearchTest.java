package dev.posthorn.server.events;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.ingest.Ingest;
import dev.posthorn.server.metrics.IngestMetrics.Protocol;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Where is my event? Asked over HTTP, while a relay delivers. */
class SearchTest {

    private static TestHub hub;
    private static Relay relay;

    @BeforeAll
    static void startAHubThatDelivers() {
        hub = TestHub.start();
        RecordingSink sink = RecordingSink.oneAtATime().answering(event -> switch (event.event()
                .type()) {
            case "order.rejected" -> new Outcome.Reject(ErrorClass.INVALID, "no such order", new Reply(422, "who?"));
            case "order.late" -> new Outcome.Retry("busy");
            default -> Outcome.DELIVERED;
        });
        Database database = hub.bean(Database.class);
        relay = Relay.builder(database.direct())
                .instance("one")
                .subscribe(Subscription.to("billing", sink)
                        .filter(Filter.types("order.*"))
                        .retry(RetryPolicy.of(5, Duration.ofHours(1)))
                        .build())
                .subscribe(Subscription.to("audit", RecordingSink.pipelined())
                        .filter(Filter.types("order.*", "user.*"))
                        .build())
                .start();
    }

    @AfterAll
    static void stop() {
        relay.close();
        hub.close();
    }

    private static Event.Builder event(String type, String key) {
        return Event.builder().source("shop").type(type).key(key).json("{\"n\": 1}");
    }

    private static String record(Event.Builder event) {
        return hub.record(event.build()).toString();
    }

    private static TestClient.Answer get(String path) {
        return hub.rest().get(path);
    }

    private static JsonNode awaitStatus(String id, String status) {
        return await().atMost(90, SECONDS)
                .until(
                        () -> get("/v1/events/" + id).json(),
                        event -> status.equals(event.path("status").asString()));
    }

    private static List<String> ids(JsonNode page) {
        List<String> ids = new ArrayList<>();
        page.get("items").forEach(item -> ids.add(item.get("id").asString()));
        return ids;
    }

    private static List<String> find(String query) {
        TestClient.Answer answer = get("/v1/events?" + query);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return ids(answer.json());
    }

    private static void assertProblem(TestClient.Answer answer, int status, String words) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
        assertThat(answer.json().get("detail").asString()).contains(words);
    }

    @Test
    void aDeliveredEventIsShownWithAllItsFields() {
        Instant occurred = Instant.parse("2026-01-01T10:00:00Z");
        String id = record(event("order.placed", "whole")
                .version(3)
                .aggregateType("order")
                .occurredAt(occurred)
                .header("tenant", "7"));
        JsonNode event = awaitStatus(id, "DELIVERED");
        assertThat(event.get("source").asString()).isEqualTo("shop");
        assertThat(event.get("type").asString()).isEqualTo("order.placed");
        assertThat(event.get("version").asInt()).isEqualTo(3);
        assertThat(event.get("aggregateType").asString()).isEqualTo("order");
        assertThat(event.get("key").asString()).isEqualTo("whole");
        assertThat(event.get("contentType").asString()).isEqualTo("application/json");
        assertThat(event.get("occurredAt").asString()).isEqualTo("2026-01-01T10:00:00Z");
        assertThat(Instant.parse(event.get("recordedAt").asString())).isAfter(occurred);
        assertThat(event.get("headers").get("tenant").asString()).isEqualTo("7");
        assertThat(event.get("data").get("n").asInt()).isEqualTo(1);
        assertThat(event.get("subscriptions")).hasSize(2);
        JsonNode billing = event.get("subscriptions").get(1);
        assertThat(billing.get("subscription").asString()).isEqualTo("billing");
        assertThat(billing.get("status").asString()).isEqualTo("DELIVERED");

        JsonNode item = get("/v1/events?key=whole").json().get("items").get(0);
        assertThat(item.get("id").asString()).isEqualTo(id);
        assertThat(item.get("status").asString()).isEqualTo("DELIVERED");
        assertThat(item.get("subscriptions")).hasSize(2);
        assertThat(item.has("data") || item.has("headers") || item.has("deliverAt"))
                .isFalse();
    }

    /** Spring binds headers to the fields of a record, unless it is told not to. */
    @Test
    void aHeaderIsNoFilter() {
        String id = record(event("order.placed", "by header"));
        TestClient.Answer answer = hub.rest()
                .with("From", "ann@example.org")
                .with("Key", "another")
                .get("/v1/events?key=by%20header");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(ids(answer.json())).containsExactly(id);
    }

    @Test
    void aFailedEventTellsWhatWasTriedAndWhatCameBack() {
        String id = record(event("order.rejected", "failed"));
        JsonNode billing = awaitStatus(id, "FAILED").get("subscriptions").get(1);
        assertThat(billing.get("errorClass").asString()).isEqualTo("invalid");
        assertThat(billing.get("errorMessage").asString()).isEqualTo("no such order");
        JsonNode attempt = billing.get("made").get(0);
        assertThat(attempt.get("number").asInt()).isEqualTo(1);
        assertThat(attempt.get("outcome").asString()).isEqualTo("REJECT");
        assertThat(attempt.get("replyCode").asInt()).isEqualTo(422);
        assertThat(attempt.get("reply").asString()).isEqualTo("who?");
        assertThat(attempt.get("instance").asString()).isEqualTo("one");
        assertThat(attempt.has("startedAt") && attempt.has("tookMillis")).isTrue();
        assertThat(find("status=failed&key=failed")).containsExactly(id);
        assertThat(find("status=FAILED&subscription=billing&key=failed")).containsExactly(id);
        assertThat(find("status=FAILED&subscription=audit&key=failed")).isEmpty();
        String delivered = "status=processed&subscription=audit&key=failed";
        await().atMost(90, SECONDS).until(() -> find(delivered).equals(List.of(id)));
    }

    @Test
    void anEventThatIsTriedAgainIsPendingAndSaysWhen() {
        String id = record(event("order.late", "late"));
        await().atMost(90, SECONDS)
                .until(() -> find("status=NEW&key=late&subscription=billing").contains(id)
                        && awaitStatus(id, "PENDING")
                                .get("subscriptions")
                                .get(1)
                                .has("nextAttemptAt"));
    }

    @Test
    void anEventThatNobodyWantsHasNoStatus() {
        String id = record(event("stock.counted", "unwanted"));
        JsonNode event = get("/v1/events/" + id).json();
        assertThat(event.has("status")).isFalse();
        assertThat(event.get("subscriptions")).isEmpty();
        assertThat(find("key=unwanted")).containsExactly(id);
        assertThat(find("key=unwanted&subscription=audit")).isEmpty();
    }

    @Test
    void pagesFollowEachOtherByTheirTokens() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            expected.add(record(event("page.turned", "p" + i)));
        }
        Collections.reverse(expected);
        List<String> all = new ArrayList<>();
        String after = "";
        do {
            JsonNode page =
                    get("/v1/events?type=page.*&source=sh*&limit=2" + after).json();
            all.addAll(ids(page));
            after = page.has("next") ? "&after=" + page.get("next").asString() : null;
        } while (after != null);
        assertThat(all).isEqualTo(expected);
    }

    @Test
    void timesAreThoseOfRecording() {
        String first = record(event("clock.struck", "t"));
        Instant between = Instant.parse(
                        get("/v1/events/" + first).json().get("recordedAt").asString())
                .plusNanos(1_000);
        String second = record(event("clock.struck", "t"));
        assertThat(find("type=clock.*&to=" + between)).containsExactly(first);
        assertThat(find("type=clock.*&from=" + between)).containsExactly(second);
        assertThat(find("type=clock.*&from=" + between.toString().replace("Z", "%2B00:00")))
                .containsExactly(second);
    }

    @Test
    void aPayloadIsShownAsItWasRecorded() {
        String precise = "{\"a\": 1.10, \"b\": 12345678901234567890123, \"c\": \"ü\"}";
        String json = record(event("order.placed", "json").json(precise));
        assertThat(get("/v1/events/" + json).text()).contains("\"data\":" + precise);
        JsonNode without = get("/v1/events/" + json + "?payload=false").json();
        assertThat(without.has("data") || without.has("dataBase64")).isFalse();

        String binary = record(event("order.placed", "bytes")
                .contentType("application/protobuf")
                .payload(new byte[] {1, 2, -1}));
        assertThat(get("/v1/events/" + binary).json().get("dataBase64").asString())
                .isEqualTo("AQL/");
        for (String broken : new String[] {"{\"a\":", "", "{} {}", "{\"a\": 1, \"a\": 2}"}) {
            String id = record(event("order.placed", "broken")
                    .contentType("application/json")
                    .payload(broken.getBytes(UTF_8)));
            JsonNode event = get("/v1/events/" + id).json();
            assertThat(event.has("data")).as(broken).isFalse();
            assertThat(event.has("dataBase64")).as(broken).isTrue();
        }
    }

    @Test
    void anIdOfTheSourcesOwnNeedsItsSourceOnlyIfSeveralGaveIt() {
        publish("order 4711", "shop");
        String path = "/v1/events/order%204711";
        JsonNode event = get(path + "?source=shop").json();
        assertThat(event.get("sourceId").asString()).isEqualTo("order 4711");
        assertThat(get(path).json().get("id")).isEqualTo(event.get("id"));
        assertProblem(get(path + "?source=erp"), 404, "of source erp");
        publish("order 4711", "crm");
        assertProblem(get(path), 409, "say which with source");
    }

    private static void publish(String id, String source) {
        Event event = event("order.placed", "own").id(id).source(source).build();
        hub.bean(Ingest.class).record(List.of(event), Caller.LOCAL, Protocol.REST);
    }

    @Test
    void anIdOfAnApplicationOnTheSameDatabaseNeedsItsSource() {
        record(event("order.placed", "own").id("application 1").source("legacy"));
        assertProblem(get("/v1/events/application%201"), 404, "say source");
        assertThat(get("/v1/events/application%201?source=legacy").status()).isEqualTo(200);
    }

    @Test
    void anIdMayHoldSlashes() {
        publish("order/4711\\placed", "shop");
        assertThat(get("/v1/events/order%2F4711%5Cplaced")
                        .json()
                        .get("sourceId")
                        .asString())
                .isEqualTo("order/4711\\placed");
    }

    @Test
    void anIdThatTwoSourcesUseIsRefusedUntilOneIsNamed() {
        UUID id = UUID.randomUUID();
        record(event("order.placed", "twice").id(id));
        record(event("order.placed", "twice").id(id).source("erp"));
        assertProblem(get("/v1/events/" + id), 409, "erp, shop");
        assertThat(get("/v1/events/" + id + "?source=erp").json().get("source").asString())
                .isEqualTo("erp");
    }

    @Test
    void whatCannotBeMeantIsRefusedByName() {
        assertProblem(get("/v1/events/" + UUID.randomUUID()), 404, "there is no event");
        assertProblem(get("/v1/events?status=lost"), 400, "status 'lost' is unknown");
        assertProblem(get("/v1/events?from=yesterday"), 400, "from: is 'yesterday'");
        assertProblem(get("/v1/events?limit=0"), 400, "limit is 0");
        assertProblem(get("/v1/events?limit=many"), 400, "limit: is 'many'");
        assertProblem(get("/v1/events?after=!!!"), 400, "after: is not a token");
        assertProblem(get("/v1/events?after=YQ"), 400, "after: is not a token");
        assertProblem(get("/v1/events?type="), 400, "type is empty");
        assertProblem(get("/v1/events?key=%00"), 400, "key holds a NUL");
        assertProblem(get("/v1/events?subscription=nobody"), 404, "nobody");
        assertProblem(get("/v1/events/" + UUID.randomUUID() + "?payload=no"), 400, "payload: is 'no'");
    }
}
