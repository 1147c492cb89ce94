package dev.posthorn.server.events;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class DeferTest {

    private static final Instant SOON = Instant.parse("2099-01-01T00:00:00Z");
    private static final Instant LATER = SOON.plus(Duration.ofDays(1));

    private static TestHub hub;
    private static Relay relay;

    @BeforeAll
    static void startAHubThatDelivers() {
        hub = TestHub.start();
        relay("idle").close();
        relay = relay("billing");
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

    private static String record(Instant deliverAt) {
        Event.Builder event =
                Event.builder().source("shop").type("order.placed").json("{}");
        if (deliverAt != null) {
            event.deliverAt(deliverAt);
        }
        return hub.record(event.build()).toString();
    }

    private static TestClient.Answer defer(String id, String subscription, Instant until) {
        return hub.rest()
                .post(
                        "/v1/events/" + id + "/defer",
                        "{\"subscription\": \"%s\", \"until\": \"%s\"}".formatted(subscription, until));
    }

    /** Asks again where the relay, which may have stood still, did not answer in the two seconds that a call waits. */
    private static TestClient.Answer answered(Callable<TestClient.Answer> asking) {
        return await().atMost(60, SECONDS).until(asking, answer -> answer.status() != 202);
    }

    private static JsonNode billing(String id) {
        return hub.rest().get("/v1/events/" + id).json().get("subscriptions").get(0);
    }

    @Test
    void anEventThatWaitsIsPutOffByName() {
        String id = record(SOON);
        await().atMost(60, SECONDS).until(() -> billing(id).has("nextAttemptAt"));
        TestClient.Answer answer = answered(() -> defer(id, "billing", LATER));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.json().get("answer").asString()).isNotBlank();
        assertThat(billing(id).get("nextAttemptAt").asString()).isEqualTo(LATER.toString());
        long command = answer.json().get("command").asLong();
        String by = hub.bean(Database.class)
                .queries()
                .run(
                        "looking",
                        t -> t.first(
                                        "SELECT requested_by FROM posthorn.command WHERE id = :id",
                                        Map.of("id", command),
                                        row -> row.getString(1))
                                .orElseThrow());
        assertThat(by).isEqualTo("local");
    }

    @Test
    void anEventThatWasDeliveredIsTooLate() {
        String id = record(null);
        await().atMost(60, SECONDS)
                .until(() -> billing(id).get("status").asString().equals("DELIVERED"));
        TestClient.Answer answer = answered(() -> defer(id, "billing", LATER));
        assertThat(answer.status()).as(answer.text()).isEqualTo(409);
        assertThat(answer.json().get("detail").asString()).startsWith("too late");
    }

    @Test
    void withNobodyToAnswerItIsOnlyAccepted() {
        TestClient.Answer answer = defer(record(SOON), "idle", LATER);
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        assertThat(answer.json().has("answer")).isFalse();
        assertThat(answer.json().has("command")).isTrue();
    }

    @Test
    void ofTwoEventsWithOneIdTheOneOfTheSourceIsPutOff() {
        UUID id = UUID.randomUUID();
        for (String source : new String[] {"shop", "erp"}) {
            hub.record(Event.builder()
                    .id(id)
                    .source(source)
                    .type("order.placed")
                    .json("{}")
                    .deliverAt(SOON)
                    .build());
        }
        String body = "{\"subscription\": \"billing\", \"until\": \"%s\"}".formatted(LATER);
        TestClient.Answer answer = answered(() -> hub.rest().post("/v1/events/" + id + "/defer?source=shop", body));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        for (String source : new String[] {"shop", "erp"}) {
            assertThat(hub.rest()
                            .get("/v1/events/" + id + "?source=" + source)
                            .json()
                            .get("subscriptions")
                            .get(0)
                            .get("nextAttemptAt")
                            .asString())
                    .isEqualTo((source.equals("shop") ? LATER : SOON).toString());
        }
    }

    @Test
    void whatCannotBeMeantIsRefusedByName() {
        String id = record(SOON);
        assertRefused(defer(id, "billing", Instant.EPOCH), 400, "until");
        assertRefused(defer(id, "nobody", LATER), 404, "nobody");
        assertRefused(defer(UUID.randomUUID().toString(), "billing", LATER), 404, "there is no event");
        String path = "/v1/events/" + id + "/defer";
        assertRefused(hub.rest().post(path, "{\"until\": \"" + LATER + "\"}"), 400, "subscription: is missing");
        assertRefused(hub.rest().post(path, "{\"subscription\": \"billing\"}"), 400, "until: is missing");
        for (String body : new String[] {"", "null", "[]", "{\"til\": 1}", "{\"until\": \"soon\"}"}) {
            assertRefused(hub.rest().post(path, body), 400, "the body must be like");
        }
    }

    private static void assertRefused(TestClient.Answer answer, int status, String words) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.json().get("detail").asString()).contains(words);
    }
}
