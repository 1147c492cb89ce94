package dev.posthorn.server.guard;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** A guard that is fed by a subscription, from the published event to the operator's decision and the replay. */
@ExtendWith(SharedHub.class)
class GuardedSubscriptionTest {

    private static TestHub hub;
    private static TestClient rest;

    private final TargetSystem target = new TargetSystem();
    private final UUID id = UUID.randomUUID();

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
        rest = hub.rest();
    }

    @AfterEach
    void close() {
        target.close();
    }

    private Guarding fed(String name) {
        Guarding guard = Guarding.of(rest, name, target, ", \"timeout\": \"5s\"");
        Answer answer = rest.put("/v1/subscriptions/" + name, """
                {"filter": {"types": ["%s"]}, "retry": {"maxAttempts": 5, "delays": ["100ms"]},
                 "sink": {"kind": "guard", "guard": "%s"}}
                """.formatted(name, name));
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return guard;
    }

    private void publish(String type) {
        Answer answer = rest.post(
                "/v1/events",
                "{\"id\": \"%s\", \"source\": \"shop\", \"type\": \"%s\", \"key\": \"k\", \"data\": {\"n\": 1}}"
                        .formatted(id, type));
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    }

    private static JsonNode letters(String subscription) {
        return rest.get("/v1/dlt-messages?subscriberId=" + subscription).json().path("items");
    }

    private JsonNode replayed() {
        Answer started = rest.post("/v1/replay", "{\"messageId\": \"%s\"}".formatted(id));
        assertThat(started.status()).as(started.text()).isEqualTo(202);
        String path = "/v1/replay/" + started.json().path("id").asLong();
        await().atMost(90, SECONDS)
                .until(() -> rest.get(path).json().path("state").asString().equals("FINISHED"));
        return rest.get(path).json();
    }

    private String status() {
        return rest.get("/v1/events/" + id).json().path("status").asString();
    }

    @ParameterizedTest
    @CsvSource({"ARRIVED, 1, DELIVERED", "REPEAT, 2, DELIVERED", "ABANDON, 1, FAILED"})
    void whatIsInDoubtIsADeadLetterAndItsReplayDoesAsDecided(String decision, int requests, String status) {
        String name = "doubt-" + decision.toLowerCase(Locale.ROOT);
        Guarding guard = fed(name);
        target.fallsSilent();
        publish(name);
        await().atMost(90, SECONDS).until(() -> letters(name).size() == 1);
        assertThat(letters(name).get(0).path("errorMessage").asString())
                .contains("in doubt at guard '" + name + "'", "no answer within 5000 ms");
        assertThat(guard.state(id)).isEqualTo("IN_DOUBT");
        target.answers(200);
        assertThat(replayed().path("failed").asInt()).as("still in doubt").isEqualTo(1);
        assertThat(letters(name)).hasSize(1);
        assertThat(target.acted()).hasSize(1);
        assertThat(guard.decide(id, decision).status()).isEqualTo(200);
        replayed();
        assertThat(status()).isEqualTo(status);
        assertThat(target.acted()).hasSize(requests).containsOnly(id.toString());
    }

    @Test
    void whatNeverArrivedIsTriedAgainByTheSubscription() {
        Guarding guard = fed("away");
        target.answersAtFirst(2, 503);
        publish("away");
        await().atMost(90, SECONDS).until(() -> status().equals("DELIVERED"));
        assertThat(target.acted()).hasSize(3);
        assertThat(guard.state(id)).isEqualTo("FORWARDED");
    }

    @Test
    void anEventThatCameByRequestIsNotForwardedByTheSubscriptionAsWell() {
        Guarding guard = fed("both");
        String event = """
                {"id": "%s", "source": "shop", "type": "both", "key": "k", "data": {"n": 1}}
                """.formatted(id);
        Answer answer = Guarding.sent(() -> rest.post("/v1/guard/both", event));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        publish("both");
        await().atMost(90, SECONDS).until(() -> status().equals("DELIVERED"));
        assertThat(target.acted()).hasSize(1);
        assertThat(guard.state(id)).isEqualTo("FORWARDED");
    }

    @Test
    void aSubscriptionNeedsAGuardThatIsThereAndKeepsIt() {
        Answer answer = rest.put("/v1/subscriptions/lost", "{\"sink\": {\"kind\": \"guard\", \"guard\": \"none\"}}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("violations").get(0).path("field").asString())
                .isEqualTo("sink.guard");
        fed("kept");
        Answer delete = rest.delete("/v1/guards/kept");
        assertThat(delete.status()).isEqualTo(409);
        assertThat(delete.json().path("detail").asString()).contains("subscription 'kept'");
    }
}
