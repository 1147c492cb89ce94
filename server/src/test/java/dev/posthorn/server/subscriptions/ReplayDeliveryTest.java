package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.FreePort;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What an operator does about a subscriber that was away, over HTTP from beginning to end. */
class ReplayDeliveryTest {

    private static TestHub hub;
    private static TestClient rest;

    private Receiver receiver = Receiver.start();

    @BeforeAll
    static void start() {
        hub = TestHub.start();
        rest = hub.rest();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @AfterEach
    void close() {
        receiver.close();
    }

    private void subscribe(String name, String types) {
        TestClient.Answer answer = rest.put("/v1/subscriptions/" + name, """
                {"filter": {"types": ["%s"]}, "retry": {"maxAttempts": 1, "delays": ["0s"]},
                 "sink": {"kind": "http", "url": "%s"}}
                """.formatted(types, receiver.url("/")));
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    }

    private static JsonNode letters(String subscriber) {
        return rest.get("/dlt-messages?subscriberId=" + subscriber).json().path("items");
    }

    private static JsonNode post(int status, String path, String body) {
        TestClient.Answer answer = rest.post(path, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        return answer.json();
    }

    private static JsonNode replay(long id) {
        JsonNode replay = rest.get("/v1/replay/" + id).json();
        long skipped =
                replay.path("skipped").valueStream().mapToLong(JsonNode::asLong).sum();
        assertThat(replay.path("requested").asLong())
                .as(replay.toString())
                .isEqualTo(replay.path("delivered").asLong()
                        + replay.path("failed").asLong()
                        + skipped
                        + replay.path("pending").asLong());
        return replay;
    }

    private static JsonNode finished(long id) {
        await().atMost(60, SECONDS)
                .untilAsserted(
                        () -> assertThat(replay(id).path("state").asString()).isEqualTo("FINISHED"));
        return replay(id);
    }

    private static String status(String event) {
        return rest.get("/v1/events/" + event).json().path("status").asString();
    }

    @Test
    void aSubscriberThatWasDownGetsItsEventOnceItIsBack() {
        receiver.close();
        // Nobody else takes it while it is not in use.
        int port = FreePort.find();
        receiver = Receiver.start(port);
        receiver.close();
        subscribe("analytics-service", "visit.*");
        Event visit = event("visit.began", "v");
        publish(hub, List.of(visit));
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(letters("analytics-service")).hasSize(1));
        JsonNode letter = letters("analytics-service").get(0);
        String messageId = letter.path("messageId").asString();
        assertThat(messageId).isEqualTo(visit.id().toString());
        assertThat(letter.path("errorMessage").asString()).contains("Connection refused");
        assertThat(status(messageId)).isEqualTo("FAILED");
        receiver = Receiver.start(port);
        JsonNode started = post(202, "/replay", "{\"messageId\": \"%s\"}".formatted(messageId));
        JsonNode ended = finished(started.path("id").asLong());
        assertThat(ended.path("delivered").asLong()).isEqualTo(1);
        assertThat(receiver.requests()).hasSize(1);
        assertThat(receiver.requests().get(0).id()).isEqualTo(messageId);
        assertThat(receiver.requests().get(0).header("posthorn-replay"))
                .isEqualTo(started.path("id").asString());
        assertThat(letters("analytics-service")).isEmpty();
        assertThat(status(messageId)).isEqualTo("DELIVERED");
    }

    @Test
    void manyAreReplayedByDateRangeAndExactlyThoseThatTheDryRunCounted() {
        Instant before = Instant.now().minusSeconds(60);
        fail("bulk", 30);
        String filter = "{\"filter\": {\"subscriberId\": \"bulk\", \"from\": \"%s\", \"to\": \"%s\"}%s}";
        Instant after = Instant.now().plusSeconds(60);
        long counted = post(200, "/replay", filter.formatted(before, after, ", \"dryRun\": true"))
                .path("count")
                .asLong();
        assertThat(counted).isEqualTo(30);
        int sent = receiver.count();
        JsonNode started = post(202, "/replay", filter.formatted(before, after, ""));
        JsonNode ended = finished(started.path("id").asLong());
        assertThat(ended.path("delivered").asLong()).isEqualTo(counted);
        assertThat(receiver.count() - sent).isEqualTo(30);
        assertThat(letters("bulk")).isEmpty();
    }

    /** So many dead letters of a subscriber that takes whatever comes from now on. */
    private void fail(String subscriber, int count) {
        receiver.answering(400, "no");
        subscribe(subscriber, subscriber + ".*");
        publish(
                hub,
                IntStream.range(0, count)
                        .mapToObj(i -> event(subscriber + ".happened", "k" + i % 5))
                        .toList());
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(letters(subscriber)).hasSize(count));
        receiver.answering(200, "ok");
    }

    @Test
    void whatIsPausedStandsStillAndWhatIsCancelledIsAccountedFor() {
        fail("slow", 40);
        int sent = receiver.count();
        // Slowly, so that many are left however long the pause takes.
        long id = post(202, "/v1/replay", "{\"filter\": {\"subscriberId\": \"slow\"}, \"ratePerSecond\": 1}")
                .path("id")
                .asLong();
        await().atMost(60, SECONDS).until(() -> receiver.count() > sent);
        post(200, "/v1/replay/" + id + "/pause", "{\"reason\": \"a look\"}");
        await().during(3, SECONDS).atMost(60, SECONDS).until(() -> {
            JsonNode paused = replay(id);
            return paused.path("delivered").asInt() == receiver.count() - sent
                    && paused.path("pending").asInt() > 20;
        });
        int stood = receiver.count();
        post(200, "/v1/replay/" + id + "/resume", "");
        await().atMost(60, SECONDS).until(() -> receiver.count() > stood);
        post(200, "/v1/replay/" + id + "/cancel", "");
        await().during(2, SECONDS)
                .atMost(60, SECONDS)
                .until(() -> replay(id).path("delivered").asInt() == receiver.count() - sent);
        JsonNode ended = replay(id);
        assertThat(ended.path("state").asString()).isEqualTo("CANCELLED");
        assertThat(ended.path("pending").asInt()).isZero();
        assertThat(ended.path("skipped").path("cancelled").asInt())
                .isEqualTo(40 - ended.path("delivered").asInt());
        assertThat(letters("slow")).hasSize(40 - ended.path("delivered").asInt());
    }

    @Test
    void aHistoryFillsAFreshReceiver() {
        Instant before = Instant.now().minusSeconds(60);
        List<Event> events = IntStream.range(0, 30)
                .mapToObj(i -> event("ledger.entry", "account-" + i % 3))
                .toList();
        publish(hub, events);
        subscribe("fresh", "ledger.*");
        long id = post(202, "/v1/replay", """
                {"history": {"subscriberId": "fresh", "from": "%s", "to": "%s", "types": ["ledger.*"]}}
                """.formatted(before, Instant.now().plusSeconds(60)))
                .path("id")
                .asLong();
        assertThat(finished(id).path("delivered").asLong()).isEqualTo(30);
        for (int account = 0; account < 3; account++) {
            String key = "account-" + account;
            List<String> expected = events.stream()
                    .filter(each -> key.equals(each.key()))
                    .map(each -> each.id().toString())
                    .toList();
            List<String> came = receiver.requests().stream()
                    .map(Request::id)
                    .filter(expected::contains)
                    .toList();
            assertThat(came).as(key).isEqualTo(expected);
        }
        assertThat(receiver.requests())
                .allSatisfy(each -> assertThat(each.header("posthorn-replay")).isEqualTo(String.valueOf(id)));
    }
}
