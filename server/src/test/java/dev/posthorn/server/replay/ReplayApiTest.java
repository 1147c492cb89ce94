package dev.posthorn.server.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The API itself. Nothing serves the subscriptions of these dead letters, so every replay stays as it was started. */
class ReplayApiTest {

    private static final String DEAD_LETTER = """
            INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source, type, version, key,
                content_type, payload, occurred_at, recorded_at, attempts, error_class, error_message, cause,
                first_failed_at, last_failed_at, holds_key)
            SELECT s.id, e.txid, e.seq, e.id, e.source, e.type, e.version, e.key, e.content_type, e.payload, e.occurred_at,
                   e.created_at, 5, 'HTTP 400', 'no order', 'no order', now(), now(), false
              FROM posthorn.event e, posthorn.subscription s WHERE e.id = :event AND s.name = :subscription
            RETURNING id
            """;

    private static TestHub hub;
    private static TestClient rest;

    @BeforeAll
    static void startAHubWithSubscriptionsThatNobodyServes() {
        hub = TestHub.start(Map.of("posthorn.replay.reason-above", 3, "posthorn.replay.limit", 2));
        rest = hub.rest().with("X-Request-Id", "test-7");
        for (String name : List.of("billing", "shipping")) {
            Relay.builder(hub.bean(Database.class).direct())
                    .subscribe(Subscription.to(name, RecordingSink.oneAtATime()).build())
                    .start()
                    .close();
        }
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @BeforeEach
    void clear() {
        update("DELETE FROM posthorn.replay_item");
        update("DELETE FROM posthorn.replay");
        update("DELETE FROM posthorn.dead_letter");
    }

    private static int update(String sql) {
        return hub.bean(Database.class).queries().run("changing", t -> t.update(sql, Map.of()));
    }

    private static UUID event() {
        return hub.record(Event.builder()
                .source("shop")
                .type("order.placed")
                .key("k")
                .json("{}")
                .build());
    }

    private static long letter(UUID event, String subscription) {
        return hub.bean(Database.class)
                .queries()
                .run(
                        "adding",
                        t -> t.list(
                                        DEAD_LETTER,
                                        Map.of("event", event, "subscription", subscription),
                                        row -> row.getLong(1))
                                .get(0));
    }

    private static List<Long> letters(int count) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(letter(event(), "billing"));
        }
        return ids;
    }

    private static TestClient.Answer post(int status, String path, String body) {
        TestClient.Answer answer = rest.post(path, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        return answer;
    }

    private static JsonNode start(String body) {
        return post(202, "/v1/replay", body).json();
    }

    private static void refused(int status, String body, String detail) {
        assertThat(post(status, "/v1/replay", body).json().path("detail").asString())
                .contains(detail);
    }

    @Test
    void oneIsStartedByIdOverTheShortPathToo() {
        UUID event = event();
        long id = letter(event, "billing");
        TestClient.Answer answer = post(202, "/replay", "{\"messageId\": \"%s\"}".formatted(event));
        JsonNode replay = answer.json();
        assertThat(answer.header("Location"))
                .isEqualTo("/v1/replay/" + replay.path("id").asLong());
        assertThat(replay.path("state").asString()).isEqualTo("RUNNING");
        assertThat(replay.path("requested").asLong()).isEqualTo(1);
        assertThat(replay.path("pending").asLong()).isEqualTo(1);
        assertThat(replay.path("subscribers").path("billing").asLong()).isEqualTo(1);
        assertThat(replay.path("requestedBy").asString()).isEqualTo("local");
        assertThat(rest.get(answer.header("Location")).json()).isEqualTo(replay);
        refused(409, "{\"id\": %d}".formatted(id), "dead letter " + id + " is being replayed already by replay");
        String requestId = hub.bean(Database.class)
                .queries()
                .run(
                        "looking",
                        t -> t.first(
                                        "SELECT request_id FROM posthorn.audit ORDER BY id DESC LIMIT 1",
                                        Map.of(),
                                        row -> row.getString(1))
                                .orElseThrow());
        assertThat(requestId).isEqualTo("test-7");
    }

    @Test
    void severalSubscribersOfOneMessageMustBeToldApart() {
        UUID event = event();
        letter(event, "billing");
        letter(event, "shipping");
        refused(409, "{\"messageId\": \"%s\"}".formatted(event), "billing, shipping; say for which one");
        assertThat(start("{\"messageId\": \"%s\", \"subscriberId\": \"shipping\"}".formatted(event))
                        .path("subscribers")
                        .toString())
                .isEqualTo("{\"shipping\":1}");
    }

    @Test
    void aDryRunTellsWhatWouldBeSentAndStartsNothing() {
        letters(4);
        JsonNode preview = post(200, "/v1/replay", """
                {"filter": {"subscriberId": "billing", "errorMessage": "NO ORDER", "replayed": "no",
                            "from": "2020-01-01T00:00:00+01:00"}, "dryRun": true}
                """).json();
        assertThat(preview.path("dryRun").asBoolean()).isTrue();
        assertThat(preview.path("count").asLong()).isEqualTo(4);
        assertThat(preview.path("types").path("order.placed").asLong()).isEqualTo(4);
        assertThat(preview.path("ages").path("lastHour").asLong()).isEqualTo(4);
        assertThat(preview.path("needsReason").asBoolean()).isTrue();
        assertThat(preview.path("warnings").isArray()).isTrue();
        assertThat(rest.get("/v1/replay").json().path("items")).isEmpty();
        refused(400, "{\"filter\": {}}", "reason is missing; a replay of 4 items, more than 3, needs one");
        assertThat(start("{\"filter\": {}, \"reason\": \"mended\"}")
                        .path("pending")
                        .asLong())
                .isEqualTo(4);
    }

    @Test
    void aDryRunRefusesALetterThatWasDiscardedOrPurgedAsTheReplayDoes() {
        UUID event = event();
        long id = letter(event, "billing");
        update("UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'bob', discard_reason = 'old'");
        refusedDryToo(409, "\"id\": " + id, "dead letter " + id + " was discarded by bob");
        refusedDryToo(409, "\"messageId\": \"%s\"".formatted(event), "was discarded by bob");
        letter(event, "shipping");
        update("UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'bob', discard_reason = 'old'");
        refusedDryToo(409, "\"messageId\": \"%s\"".formatted(event), "was discarded by bob");
        update("UPDATE posthorn.dead_letter SET purged_at = now()");
        refusedDryToo(404, "\"id\": " + id, "there is no dead letter with id " + id);
        refusedDryToo(404, "\"messageId\": \"%s\"".formatted(event), "has no dead letter");
        assertThat(rest.get("/v1/dlt-messages/" + id).status()).isEqualTo(404);
    }

    private static void refusedDryToo(int status, String selection, String detail) {
        refused(status, "{%s, \"dryRun\": true}".formatted(selection), detail);
        refused(status, "{%s}".formatted(selection), detail);
    }

    @Test
    void optionsAreTakenAsGiven() {
        List<Long> ids = letters(3);
        JsonNode replay = start("""
                {"ids": %s, "ratePerSecond": 2.5, "maxInFlight": 4, "stopAtFailureRate": 0.2, "reason": "why not",
                 "canary": {"count": 1, "then": "go-on"}}
                """.formatted(ids));
        assertThat(replay.path("ratePerSecond").asDouble()).isEqualTo(2.5);
        assertThat(replay.path("maxInFlight").asInt()).isEqualTo(4);
        assertThat(replay.path("stopAtFailureRate").asDouble()).isEqualTo(0.2);
        assertThat(replay.path("canary").toString()).isEqualTo("{\"count\":1,\"then\":\"go-on\"}");
        assertThat(replay.path("trying").asBoolean()).isTrue();
        assertThat(replay.path("eta").asString()).isEqualTo("2s");
        String path = "/v1/replay/" + replay.path("id").asLong();
        JsonNode faster = patch(200, path, "{\"ratePerSecond\": 100}");
        assertThat(faster.path("ratePerSecond").asDouble()).isEqualTo(100);
        assertThat(faster.path("maxInFlight").asInt())
                .as("left out, so it stays")
                .isEqualTo(4);
        assertThat(patch(200, path, "{\"ratePerSecond\": null}").has("ratePerSecond"))
                .isFalse();
        assertThat(patch(400, path, "{}").path("detail").asString()).contains("names nothing to change");
        assertThat(patch(400, path, "{\"rate\": 1}").path("detail").asString()).contains("rate");
        assertThat(patch(400, path, "{\"ratePerSecond\": 0}").path("detail").asString())
                .contains("ratePerSecond is 0.0; it must be more than 0");
    }

    private static JsonNode patch(int status, String path, String body) {
        TestClient.Answer answer =
                rest.with("Content-Type", "application/json").call("PATCH", path, body.getBytes(UTF_8));
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        return answer.json();
    }

    @Test
    void aReplayIsPausedResumedCancelledAndListed() {
        letters(2);
        JsonNode replay = start("{\"filter\": {}, \"canary\": 1}");
        String path = "/v1/replay/" + replay.path("id").asLong();
        assertThat(post(200, path + "/pause", "{\"reason\": \"lunch\"}")
                        .json()
                        .path("stateReason")
                        .asString())
                .isEqualTo("lunch");
        assertThat(rest.get("/v1/replay?state=paused").json().path("items")).hasSize(1);
        assertThat(rest.get("/v1/replay?state=running").json().path("items")).isEmpty();
        assertThat(rest.post(path + "/pause").json().path("detail").asString()).contains("it is PAUSED");
        assertThat(rest.post(path + "/resume").json().path("state").asString()).isEqualTo("RUNNING");
        JsonNode cancelled = rest.post(path + "/cancel").json();
        assertThat(cancelled.path("state").asString()).isEqualTo("CANCELLED");
        assertThat(cancelled.path("skipped").toString()).isEqualTo("{\"cancelled\":2}");
        JsonNode first = rest.get(path + "/items?outcome=skipped&limit=1").json();
        assertThat(first.path("items").get(0).path("reason").asString()).isEqualTo("cancelled");
        JsonNode second = rest.get(path + "/items?outcome=skipped&limit=1&after="
                        + first.path("next").asString())
                .json();
        assertThat(second.path("items")).hasSize(1);
        assertThat(second.has("next")).isFalse();
        assertThat(rest.get(path + "/items?outcome=failed").json().path("items"))
                .isEmpty();
        assertThat(rest.post(path + "/resume").status()).isEqualTo(409);
    }

    @Test
    void theLimitOfTheSettingsStopsLoops() {
        long id = letters(1).get(0);
        update("UPDATE posthorn.dead_letter SET replays = 2");
        refused(409, "{\"id\": %d}".formatted(id), "was replayed 2 times in vain; the limit is 2");
    }

    @Test
    void whatIsWrongIsNamed() {
        refused(400, "{}", "says nothing to replay; give one of id, messageId, ids, filter or history");
        refused(400, "{\"id\": 1, \"filter\": {}}", "names id and filter; give exactly one of");
        refused(400, "{\"ids\": [1], \"subscriberId\": \"x\"}", "subscriberId: goes with messageId");
        refused(404, "{\"messageId\": \"4711\"}", "no event with the id '4711' has a dead letter");
        refused(400, "{\"filter\": {\"subscriber\": \"x\"}}", "did you mean subscriberId?");
        refused(400, "{\"filter\": {\"from\": \"yesterday\"}}", "from: is 'yesterday'; write a time");
        refused(400, "{\"filter\": {\"replayed\": \"maybe\"}}", "replayed: is 'maybe'; it must be yes or no");
        refused(400, "{\"filter\": {\"key\": \"\\u0000\"}}", "key: holds a NUL character");
        refused(400, "{\"history\": {\"subscriberId\": \"billing\"}}", "history.from: is missing");
        refused(400, "{\"id\": 1, \"canary\": \"x\"}", "canary: must be a whole number, or like");
        refused(400, "{\"id\": 1, \"canary\": {\"count\": 1, \"then\": \"x\"}}", "canary.then: is unknown");
        refused(400, "{\"id\": 1, \"canary\": {\"count\": 1, \"than\": \"x\"}}", "canary.than: is unknown");
        refused(400, "{\"id\": 1, \"stopAtFailureRate\": 2}", "stopAtFailureRate is 2.0; it must be from 0 to 1");
        refused(400, "{\"id\": 1, \"ratePerSecond\": \"fast\"}", "ratePerSecond");
        refused(400, "nonsense", "the body is not JSON");
        refused(404, "{\"id\": 4711}", "there is no dead letter with id 4711");
        refused(409, "{\"filter\": {\"subscriberId\": \"nobody\"}}", "nothing matches");
        refused(404, """
                {"history": {"subscriberId": "nobody", "from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}}
                """, "there is no subscription named 'nobody'");
        assertThat(rest.get("/v1/replay/x").status()).isEqualTo(404);
        assertThat(rest.get("/v1/replay/4711").status()).isEqualTo(404);
        assertThat(rest.get("/v1/replay?state=done").status()).isEqualTo(400);
        assertThat(rest.get("/v1/replay?after=x").status()).isEqualTo(400);
    }
}
