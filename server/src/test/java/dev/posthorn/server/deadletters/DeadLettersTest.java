package dev.posthorn.server.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class DeadLettersTest {

    private static final int MOST_TRIES = 10;

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

    /** What was asked about which letters. */
    private record Asked(List<Long> letters, TestClient.Answer answer) {

        long letter() {
            return letters.get(0);
        }
    }

    /** With new letters where the relay stood still for the three seconds that a call waits for it. */
    private Asked answered(Supplier<Asked> asking) {
        Asked asked = asking.get();
        for (int i = 0; i < MOST_TRIES && asked.answer().status() == 202; i++) {
            clear();
            asked = asking.get();
        }
        return asked;
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

    /** Spring binds headers to the fields of a record, unless it is told not to. */
    @Test
    void aHeaderIsNoFilter() {
        long id = letters.write("billing");
        TestClient.Answer answer = hub.rest()
                .with("From", "ann@example.org")
                .with("Key", "another")
                .get("/v1/dlt-messages");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(ids(answer.json())).containsExactly(id);
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
        Asked asked = answered(() -> {
            long id = letters.write("billing");
            assertThat(discard("{\"id\": %d, \"dryRun\": true}".formatted(id)).text())
                    .isEqualTo("{\"matching\":1,\"discarding\":1,\"replaying\":0,\"alreadyAsked\":0}");
            return new Asked(List.of(id), discard("{\"id\": %d, \"reason\": \"a test order\"}".formatted(id)));
        });
        long id = asked.letter();
        TestClient.Answer answer = asked.answer();
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
        String all = "{\"filter\": {\"subscriberId\": \"billing\"}, ";
        Asked asked = answered(() -> {
            for (int i = 0; i < 20; i++) {
                letters.write("billing");
            }
            long written = letters.write("billing");
            replaying(written);
            TestClient.Answer preview = discard(all + "\"dryRun\": true}");
            assertThat(preview.json().get("discarding").asLong()).isEqualTo(20);
            return new Asked(List.of(written), discard(all + "\"reason\": \"all test\"}"));
        });
        long replayed = asked.letter();
        TestClient.Answer answer = asked.answer();
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
        Asked asked = answered(DeadLettersTest::discardAListAndAGroup);
        TestClient.Answer group = asked.answer();
        assertThat(group.json().get("discarded").asLong()).as(group.text()).isEqualTo(1);
        List<Long> written = asked.letters();
        assertThat(ids(get("/v1/dlt-messages?discarded=yes")))
                .containsExactlyInAnyOrder(written.get(0), written.get(1));
        assertThat(ids(get("/v1/dlt-messages"))).containsExactly(written.get(2));
    }

    /** One by its id, one by its group, and one that stays. */
    private static Asked discardAListAndAGroup() {
        long one = letters.write("billing");
        long two = letters.write("billing");
        Map<String, Object> other = Letters.usual("billing");
        other.put("cause", "another");
        List<Long> written = List.of(one, two, letters.write(other));
        TestClient.Answer list = discard("{\"ids\": [%d, 99999999], \"reason\": \"x\"}".formatted(one));
        if (list.status() == 202) {
            return new Asked(written, list);
        }
        assertThat(list.json().get("discarded").asLong()).as(list.text()).isEqualTo(1);
        TestClient.Answer group =
                discard("{\"group\": {\"subscriberId\": \"billing\", \"errorClass\": \"refused\", \"cause\":"
                        + " \"Connection refused: port #\"}, \"reason\": \"x\"}");
        return new Asked(written, group);
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

    private static TestClient.Answer purge(String body) {
        return hub.rest().with("X-Request-Id", "r-2").post("/v1/dlt-messages/purge", body);
    }

    @Test
    void oneIsPurgedByItsLaneAndOnlyTheAuditTellsOfIt() {
        Map<String, Object> values = Letters.usual("billing");
        Asked asked = answered(() -> {
            values.put("event_id", UUID.randomUUID());
            long one = letters.write(values);
            letters.change("holds_key = true", one);
            assertThat(purge("{\"id\": %d, \"dryRun\": true}".formatted(one)).text())
                    .isEqualTo("{\"matching\":1,\"purging\":1,\"replaying\":0,\"alreadyAsked\":0}");
            return new Asked(List.of(one), purge("{\"id\": %d, \"reason\": \"an address\"}".formatted(one)));
        });
        long id = asked.letter();
        TestClient.Answer answer = asked.answer();
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.json().get("purged").asLong()).isEqualTo(1);
        assertThat(hub.rest().get("/v1/dlt-messages/" + id).status()).isEqualTo(404);
        assertThat(ids(get("/v1/dlt-messages?discarded=any"))).isEmpty();
        assertThat(letters.value("SELECT concat_ws(' ', actor, action, target, detail->>'eventId', reason, request_id)"
                        + " FROM posthorn.audit ORDER BY id DESC LIMIT 1"))
                .isEqualTo(
                        "local dead-letter.purge dead-letter/" + id + " " + values.get("event_id") + " an address r-2");
        TestClient.Answer again = purge("{\"id\": %d, \"reason\": \"again\"}".formatted(id));
        assertThat(again.status()).isEqualTo(404);
        assertThat(again.json().get("detail").asString()).contains("or purged");
    }

    @Test
    void manyArePurgedOpenOrDiscardedAsTheFilterSaysAndThoseBeingSentAgainAreNot() {
        String all = "\"filter\": {\"subscriberId\": \"billing\", \"discarded\": \"any\"}";
        Asked asked = answered(() -> {
            long discarded = letters.write("billing");
            letters.change("discarded_at = now(), discarded_by = 'bob', discard_reason = 'x'", discarded);
            long written = letters.write("billing");
            replaying(written);
            letters.write("billing");
            assertThat(purge("{\"filter\": {\"subscriberId\": \"billing\"}, \"dryRun\": true}")
                            .text())
                    .as("open ones, unless the filter says otherwise")
                    .isEqualTo("{\"matching\":2,\"purging\":1,\"replaying\":1,\"alreadyAsked\":0}");
            return new Asked(List.of(written), purge("{" + all + ", \"reason\": \"all test\"}"));
        });
        long replayed = asked.letter();
        TestClient.Answer answer = asked.answer();
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.text())
                .isEqualTo("{\"matching\":3,\"purging\":2,\"replaying\":1,\"alreadyAsked\":0,\"purged\":2}");
        assertThat(ids(get("/v1/dlt-messages?discarded=any"))).containsExactly(replayed);
        TestClient.Answer one = purge("{\"id\": %d, \"reason\": \"x\"}".formatted(replayed));
        assertThat(one.status()).isEqualTo(409);
        assertThat(one.json().get("detail").asString()).contains("is being sent again by replay 77");
        assertThat(purge("{" + all + "}").json().get("detail").asString())
                .contains("reason: is missing; a purged dead letter is gone for good");
    }

    @Test
    void withNobodyToAnswerAPurgeIsOnlyAccepted() {
        long id = letters.write("idle");
        TestClient.Answer answer = purge("{\"ids\": [%d], \"reason\": \"x\"}".formatted(id));
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        assertThat(answer.json().has("purged")).isFalse();
        assertThat(ids(get("/v1/dlt-messages"))).containsExactly(id);
    }

    @Test
    void aKeyIsReleased() {
        Asked asked = answered(() -> {
            long id = letters.write("billing");
            String path = "/v1/dlt-messages/" + id + "/release";
            assertThat(hub.rest().post(path).status()).isEqualTo(409);
            letters.change("holds_key = true", id);
            return new Asked(List.of(id), hub.rest().post(path));
        });
        TestClient.Answer answer = asked.answer();
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        JsonNode detail = get("/v1/dlt-messages/" + asked.letter());
        assertThat(detail.get("holdsKey").asBoolean()).isFalse();
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
