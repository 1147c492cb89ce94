package dev.posthorn.server.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.testing.RecordingSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class DeadLettersTest {

    private static TestHub hub;
    private static Relay relay;
    private static Letters letters;

    @BeforeAll
    static void startAHubThatDelivers() {
        hub = TestHub.start();
        relay("idle").close();
        relay = relay("billing");
        letters = new Letters(hub);
    }

    private static Relay relay(String subscription) {
        return Relay.builder(hub.bean(Database.class).direct())
                .subscribe(Subscription.to(subscription, RecordingSink.oneAtATime())
                        .build())
                .start();
    }

    @AfterAll
    static void stop() {
        relay.close();
        hub.close();
    }

    @BeforeEach
    void clear() {
        letters.run("DELETE FROM posthorn.dead_letter");
        letters.run("DELETE FROM posthorn.replay_item");
        letters.run("DELETE FROM posthorn.dead_letter_note");
    }

    private static JsonNode get(String path) {
        TestClient.Answer answer = hub.rest().get(path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private static List<Long> ids(JsonNode page) {
        List<Long> ids = new ArrayList<>();
        page.get("items").forEach(item -> ids.add(item.get("id").asLong()));
        return ids;
    }

    private static TestClient.Answer discard(String body) {
        return hub.rest().with("X-Request-Id", "r-1").post("/v1/dlt-messages/discard", body);
    }

    @Test
    void anEntryTellsWhatAnOperatorNeeds() {
        Map<String, Object> values = Letters.usual("billing");
        long id = letters.write(values);
        JsonNode item = get("/dlt-messages?subscriberId=billing").get("items").get(0);
        assertThat(item.propertyNames())
                .containsExactlyInAnyOrder(
                        "id",
                        "messageId",
                        "subscriberId",
                        "type",
                        "source",
                        "key",
                        "errorMessage",
                        "errorClass",
                        "cause",
                        "attempts",
                        "firstFailedAt",
                        "lastFailedAt",
                        "replays",
                        "holdsKey");
        assertThat(item.get("id").asLong()).isEqualTo(id);
        assertThat(item.get("messageId").asString())
                .isEqualTo(values.get("event_id").toString());
        assertThat(item.get("subscriberId").asString()).isEqualTo("billing");
        assertThat(item.get("errorMessage").asString()).isEqualTo("Connection refused: port 9999");
    }

    @Test
    void theShortPathIsTheSameCall() {
        letters.write("billing");
        assertThat(get("/dlt-messages")).isEqualTo(get("/v1/dlt-messages"));
        TestClient.Answer misspelt = hub.rest().get("/dlt-messages?limt=1");
        assertThat(misspelt.status()).isEqualTo(400);
        assertThat(misspelt.text()).contains("did you mean limit?");
    }

    @Test
    void everyFilterNarrowsTheList() {
        Map<String, Object> odd = Letters.usual("idle");
        odd.putAll(Map.of(
                "type", "t", "source", "s", "key", "k", "error_class", "c", "error_message", "Oh no", "cause", "oh"));
        long one = letters.write(odd);
        letters.change("attempts = 9, replays = 1, last_failed_at = '2020-01-01Z'", one);
        long two = letters.write("billing");
        assertThat(ids(get("/v1/dlt-messages"))).containsExactly(two, one);
        for (String filter : List.of(
                "messageId=" + odd.get("event_id"),
                "subscriberId=idle",
                "errorMessage=OH%20N",
                "errorClass=c",
                "cause=oh",
                "type=t",
                "source=s",
                "key=k",
                "to=2021-01-01T00:00:00Z",
                "from=2019-01-01T00:00:00Z&to=2021-01-01T00:00:00Z",
                "attemptsAtLeast=6",
                "replayed=yes")) {
            assertThat(ids(get("/v1/dlt-messages?" + filter))).as(filter).containsExactly(one);
        }
        for (String filter : List.of("replayed=no", "from=2021-01-01T00:00:00Z", "discarded=no&type=order.placed")) {
            assertThat(ids(get("/v1/dlt-messages?" + filter))).as(filter).containsExactly(two);
        }
        letters.change("discarded_at = now(), discarded_by = 'ann', discard_reason = 'test'", one);
        assertThat(ids(get("/v1/dlt-messages"))).containsExactly(two);
        assertThat(ids(get("/v1/dlt-messages?discarded=any"))).containsExactly(two, one);
        JsonNode discarded = get("/v1/dlt-messages?discarded=yes");
        assertThat(ids(discarded)).containsExactly(one);
        assertThat(discarded.get("items").get(0).get("discarded").get("by").asString())
                .isEqualTo("ann");
    }

    @Test
    void pagesFollowEachOtherAndAreCountedOnRequest() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(0, letters.write("billing"));
        }
        List<Long> seen = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = get("/v1/dlt-messages?limit=2" + after);
            assertThat(page.has("count")).isFalse();
            seen.addAll(ids(page));
            after = page.has("next") ? "&after=" + page.get("next").asString() : null;
        } while (after != null);
        assertThat(seen).isEqualTo(all);
        assertThat(get("/v1/dlt-messages?limit=1&count=true").get("count").toString())
                .isEqualTo("{\"value\":5,\"exact\":true}");
        assertThat(get("/v1/dlt-messages?count=3").get("count").toString()).isEqualTo("{\"value\":3,\"exact\":false}");
    }

    @Test
    void theDetailHasPayloadHeadersAttemptsAndTheReplay() {
        long id = letters.write("billing");
        letters.run("INSERT INTO posthorn.attempt (subscription_id, seq, number, started_at, took_ms, outcome, message,"
                + " instance) SELECT subscription_id, seq, 1, now(), 15, 'RETRY', 'refused', 'one'"
                + " FROM posthorn.dead_letter");
        JsonNode detail = get("/v1/dlt-messages/" + id);
        assertThat(hub.rest().get("/v1/dlt-messages/" + id).text()).contains("\"data\":{\"n\": 1.50}");
        assertThat(detail.get("headers").get("tenant").asString()).isEqualTo("7");
        assertThat(detail.get("made").get(0).get("message").asString()).isEqualTo("refused");
        assertThat(detail.get("replaying").asBoolean()).isFalse();
        assertThat(get("/v1/dlt-messages/" + id + "?payload=false").has("data")).isFalse();
        replaying(id);
        detail = get("/v1/dlt-messages/" + id);
        assertThat(detail.get("replaying").asBoolean()).isTrue();
        assertThat(detail.get("replay").asLong()).isEqualTo(77);
    }

    private static void replaying(long id) {
        letters.run("INSERT INTO posthorn.replay_item (replay_id, subscription_id, seq, event_id, key_hash, state)"
                + " SELECT 77, subscription_id, seq, event_id, 0, 'PENDING' FROM posthorn.dead_letter WHERE id = "
                + id);
    }

    @Test
    void groupsAreShownWithTheirNotes() {
        letters.write("billing");
        letters.write("billing");
        String group = "\"subscriberId\": \"billing\", \"errorClass\": \"refused\","
                + " \"cause\": \"Connection refused: port #\"";
        TestClient.Answer put =
                hub.rest().put("/v1/dlt-messages/groups/note", "{" + group + ", \"note\": \"ticket 17\"}");
        assertThat(put.status()).as(put.text()).isEqualTo(204);
        JsonNode groups = get("/v1/dlt-messages/groups");
        assertThat(groups.get("complete").asBoolean()).isTrue();
        JsonNode item = groups.get("items").get(0);
        assertThat(item.get("count").asLong()).isEqualTo(2);
        assertThat(item.get("types").get(0).asString()).isEqualTo("order.placed");
        assertThat(item.get("note").get("text").asString()).isEqualTo("ticket 17");
        assertThat(item.get("note").get("by").asString()).isEqualTo("local");
        assertThat(hub.rest()
                        .put("/v1/dlt-messages/groups/note", "{" + group + "}")
                        .status())
                .isEqualTo(204);
        assertThat(get("/v1/dlt-messages/groups").get("items").get(0).has("note"))
                .isFalse();
        assertThat(hub.rest()
                        .put("/v1/dlt-messages/groups/note", "{" + group.replace("#", "x") + ", \"note\": \"a\"}")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void oneIsDiscardedByItsLane() {
        long id = letters.write("billing");
        assertThat(discard("{\"id\": %d, \"dryRun\": true}".formatted(id)).text())
                .isEqualTo("{\"matching\":1,\"discarding\":1,\"replaying\":0,\"alreadyAsked\":0}");
        TestClient.Answer answer = discard("{\"id\": %d, \"reason\": \"a test order\"}".formatted(id));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.json().get("discarded").asLong()).isEqualTo(1);
        JsonNode detail = get("/v1/dlt-messages/" + id);
        assertThat(detail.get("discarded").get("reason").asString()).isEqualTo("a test order");
        assertThat(letters.value("SELECT concat_ws(' ', actor, action, target, reason, request_id) FROM posthorn.audit"
                        + " ORDER BY id DESC LIMIT 1"))
                .isEqualTo("local dead-letter.discard dead-letter/" + id + " a test order r-1");
        assertThat(discard("{\"id\": %d, \"reason\": \"again\"}".formatted(id)).status())
                .isEqualTo(409);
    }

    @Test
    void manyAreDiscardedAndThoseBeingSentAgainAreNot() {
        for (int i = 0; i < 20; i++) {
            letters.write("billing");
        }
        long replayed = letters.write("billing");
        replaying(replayed);
        TestClient.Answer preview = discard("{\"filter\": {\"subscriberId\": \"billing\"}, \"dryRun\": true}");
        assertThat(preview.json().get("discarding").asLong()).isEqualTo(20);
        TestClient.Answer answer = discard("{\"filter\": {\"subscriberId\": \"billing\"}, \"reason\": \"all test\"}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.json().get("discarded").asLong()).isEqualTo(20);
        assertThat(answer.json().get("replaying").asLong()).isEqualTo(1);
        assertThat(ids(get("/v1/dlt-messages"))).containsExactly(replayed);
        assertThat(discard("{\"id\": %d, \"reason\": \"x\"}".formatted(replayed))
                        .json()
                        .get("detail")
                        .asString())
                .contains("is being sent again by replay 77");
    }

    @Test
    void aGroupAndAListOfIdsAreDiscarded() {
        long one = letters.write("billing");
        long two = letters.write("billing");
        Map<String, Object> other = Letters.usual("billing");
        other.put("cause", "another");
        long three = letters.write(other);
        assertThat(discard("{\"ids\": [%d, 99999999], \"reason\": \"x\"}".formatted(one))
                        .json()
                        .get("discarded")
                        .asLong())
                .isEqualTo(1);
        TestClient.Answer group =
                discard("{\"group\": {\"subscriberId\": \"billing\", \"errorClass\": \"refused\", \"cause\":"
                        + " \"Connection refused: port #\"}, \"reason\": \"x\"}");
        assertThat(group.json().get("discarded").asLong()).as(group.text()).isEqualTo(1);
        assertThat(ids(get("/v1/dlt-messages?discarded=yes"))).containsExactlyInAnyOrder(one, two);
        assertThat(ids(get("/v1/dlt-messages"))).containsExactly(three);
    }

    @Test
    void withNobodyToAnswerADiscardIsOnlyAccepted() {
        long id = letters.write("idle");
        TestClient.Answer answer = discard("{\"ids\": [%d], \"reason\": \"x\"}".formatted(id));
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        assertThat(answer.json().has("discarded")).isFalse();
        assertThat(discard("{\"ids\": [%d], \"reason\": \"x\"}".formatted(id))
                        .json()
                        .get("alreadyAsked")
                        .asLong())
                .isEqualTo(1);
    }

    @Test
    void aKeyIsReleased() {
        long id = letters.write("billing");
        assertThat(hub.rest().post("/v1/dlt-messages/" + id + "/release").status())
                .isEqualTo(409);
        letters.change("holds_key = true", id);
        TestClient.Answer answer = hub.rest().post("/v1/dlt-messages/" + id + "/release");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(get("/v1/dlt-messages/" + id).get("holdsKey").asBoolean()).isFalse();
    }

    @Test
    void whatCannotBeMeantIsRefusedByName() {
        refused(400, "attemptsAtLeast: is 'x'; it must be a whole number", "?attemptsAtLeast=x");
        refused(400, "attemptsAtLeast: is -1; it must be from 0", "?attemptsAtLeast=-1");
        refused(400, "from: is 'soon'; write a time", "?from=soon");
        refused(400, "from must be before to", "?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z");
        refused(400, "replayed: is 'maybe'; it must be yes or no", "?replayed=maybe");
        refused(400, "discarded: is '1'; it must be yes or no", "?discarded=1");
        refused(400, "messageId: has 2000 characters; the limit is 1024", "?messageId=" + "a".repeat(2000));
        refused(400, "type: is empty; leave it out instead", "?type=");
        refused(400, "subscriberId: has 256 characters; the limit is 255", "?subscriberId=" + "a".repeat(256));
        refused(400, "count: is '0'; it must be true, or how far to count", "?count=0");
        refused(400, "after: is not a token", "?after=zzz");
        refused(400, "limit: must be a whole number from 1 to 1000", "?limit=0");
        refused(404, "there is no subscription named 'biling'", "?subscriberId=biling");
        refused(404, "there is no dead letter with id 4711", "/4711");
        refused(400, "id: is 'x'; it must be the number", "/x");
        for (String[] each : new String[][] {
            {"{}", "nothing is selected; give exactly one of id, ids, group, filter"},
            {"{\"id\": 1, \"filter\": {}}", "id and filter are given; give exactly one"},
            {"{\"filter\": {}}", "reason: is missing; a discarded event is never delivered"},
            {"{\"filter\": {\"typ\": \"a\"}}", "did you mean type?"},
            {"{\"filter\": {\"discarded\": \"yes\"}, \"reason\": \"x\"}", "filter.discarded: must be left out"},
            {"{\"group\": {}, \"reason\": \"x\"}", "group.subscriberId: is missing"},
            {"{\"ids\": [null], \"reason\": \"x\"}", "ids"},
            {"{\"ids\": [], \"reason\": \"x\"}", "ids has 0 numbers"},
            {"null", "the body is null"},
            {"", ""}
        }) {
            TestClient.Answer answer = discard(each[0]);
            assertThat(answer.status()).as(each[0] + answer.text()).isEqualTo(400);
            assertThat(answer.json().get("detail").asString()).contains(each[1]);
        }
    }

    private static void refused(int status, String words, String path) {
        TestClient.Answer answer = hub.rest().get("/v1/dlt-messages" + path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.json().get("detail").asString()).contains(words);
    }
}
