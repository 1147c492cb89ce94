package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.relay.HeldKeeper;
import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.testkit.Receiver;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Whoever asks something of a lane of the very hub that was asked need not wait for its lease keeper's next look. */
class TendedLanesTest {

    private static final int LETTERS = 5;

    @Test
    void whateverIsAskedOfALaneHasTheHubThatTookItLookAtOnce() throws SQLException {
        try (Receiver receiver = Receiver.start();
                TestHub hub = TestHub.start()) {
            receiver.answering(400, "no");
            assertThat(hub.rest()
                            .put("/v1/subscriptions/billing", """
                            {"afterDeadLetter": "hold", "retry": {"maxAttempts": 1, "delays": ["0s"]},
                             "sink": {"kind": "http", "url": "%s"}}
                            """.formatted(receiver.url("/")))
                            .status())
                    .isEqualTo(201);
            publish(
                    hub,
                    IntStream.range(0, LETTERS)
                            .mapToObj(i -> event("order.placed", "k" + i))
                            .toList());
            List<Long> letters =
                    await().atMost(60, SECONDS).until(() -> letters(hub), found -> found.size() == LETTERS);
            askAll(hub, letters, hub.record(deferred()).toString());
        }
    }

    private static void askAll(TestHub hub, List<Long> letters, String deferred) throws SQLException {
        assertAsked(hub, "/v1/dlt-messages/" + letters.get(0) + "/release", "");
        String one = "{\"id\": %d, \"reason\": \"x\"}".formatted(letters.get(1));
        String some = "{\"ids\": [%d], \"reason\": \"x\"}".formatted(letters.get(2));
        for (String act : List.of("discard", "purge")) {
            assertAsked(hub, "/v1/dlt-messages/" + act, one);
            assertAsked(hub, "/v1/dlt-messages/" + act, some);
        }
        assertAsked(hub, "/replay", "{\"ids\": [%d]}".formatted(letters.get(3)));
        String longer = "{\"subscription\": \"billing\", \"until\": \"2099-02-01T00:00:00Z\"}";
        assertAsked(hub, "/v1/events/" + deferred + "/defer", longer);
    }

    private static Event deferred() {
        return Event.builder()
                .source("test")
                .type("order.placed")
                .json("{}")
                .deliverAt(Instant.parse("2099-01-01T00:00:00Z"))
                .build();
    }

    private static List<Long> letters(TestHub hub) {
        List<Long> ids = new ArrayList<>();
        for (JsonNode item : hub.rest().get("/dlt-messages").json().path("items")) {
            ids.add(item.path("id").asLong());
        }
        return ids;
    }

    private static void assertAsked(TestHub hub, String path, String body) throws SQLException {
        Relay relay = hub.bean(RelayKeeper.class).relay();
        try (HeldKeeper keeper = HeldKeeper.of(relay, hub.bean(Database.class).direct())) {
            TestClient.Answer answer = hub.rest().post(path, body);
            assertThat(answer.status()).as(path + " " + answer.text()).isIn(200, 202);
            assertThat(keeper.wasAsked()).as(path).isTrue();
        }
    }
}
