package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Settings that are seldom needed: what each does, and that a change does it without a restart. */
@ExtendWith(SharedHub.class)
class SubscriptionSettingsTest {

    private static TestHub hub;
    private static TestClient rest;

    private final Receiver receiver = Receiver.start();

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
        rest = hub.rest();
    }

    @AfterEach
    void close() {
        receiver.close();
    }

    @Test
    void attemptsThatWentWellAreKeptIfTheDocumentSaysSo() {
        put("kept", "\"keepAttempts\": \"failed\"");
        assertThat(attemptsOf(delivered("kept.one"))).isEmpty();
        put("kept", "\"keepAttempts\": \"all\"");
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(attemptsOf(delivered("kept.more")))
                        .extracting(attempt -> attempt.path("outcome").stringValue())
                        .containsExactly("DELIVERED"));
    }

    private static String delivered(String type) {
        Event event = event(type, "k");
        publish(hub, List.of(event));
        String id = event.id().toString();
        await().atMost(60, SECONDS)
                .until(() -> rest.get("/v1/events/" + id)
                        .json()
                        .path("status")
                        .stringValue()
                        .equals("DELIVERED"));
        return id;
    }

    private static List<JsonNode> attemptsOf(String id) {
        return List.copyOf(rest.get("/v1/events/" + id)
                .json()
                .path("subscriptions")
                .path(0)
                .path("made")
                .values());
    }

    @Test
    void aLaneStaysWithASilentInstanceForAsLongAsTheHubIsSet() {
        put("leased", "\"lanes\": 1");
        awaitStatus("leased", each -> leaseOf(each).compareTo(Duration.ofMinutes(3)) < 0);
        assertThat(rest.get("/v1/status").json().path("subscriptions").values().stream()
                        .filter(each -> each.path("name").asString("").equals("leased"))
                        .map(SubscriptionSettingsTest::leaseOf))
                .singleElement()
                .satisfies(left -> assertThat(left).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(126)));
    }

    private static Duration leaseOf(JsonNode subscription) {
        String end = subscription.path("lanes").path(0).path("leaseExpiresAt").asString("");
        return end.isEmpty() ? Duration.ofHours(1) : Duration.between(Instant.now(), Instant.parse(end));
    }

    @Test
    void aReceiverIsTakenToRefuseEverythingAfterAsManyKeysAsTheDocumentSays() {
        receiver.answering(500, "no");
        put("denied", "\"breakerAfter\": 1, \"lanes\": 1");
        publish(hub, "denied.once");
        awaitStatus("denied", each -> each.has("denial"));
    }

    private static void awaitStatus(String name, Predicate<JsonNode> until) {
        await().atMost(60, SECONDS)
                .until(() -> rest.get("/v1/status").json().path("subscriptions").values().stream()
                        .filter(each -> each.path("name").stringValue().equals(name))
                        .anyMatch(until));
    }

    private void put(String name, String settings) {
        TestClient.Answer answer = rest.put(
                "/v1/subscriptions/" + name,
                "{\"filter\": {\"types\": [\"%s.*\"]}, \"sink\": {\"kind\": \"http\", \"url\": \"%s\"}, %s}"
                        .formatted(name, receiver.url("/"), settings));
        assertThat(answer.status()).as(answer.text()).isBetween(200, 201);
    }
}
