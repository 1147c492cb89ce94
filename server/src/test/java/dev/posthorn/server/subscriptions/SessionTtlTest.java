package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A hub that keeps its lanes for too short a time for a subscription's timeout. */
class SessionTtlTest {

    @Test
    void aStoredSubscriptionThatNoLongerFitsIsToldAndKeepsNoOtherFromBeingServed() {
        String database = TestHub.newDatabase();
        try (Receiver receiver = Receiver.start()) {
            try (TestHub hub = TestHub.startOn(database, Map.of())) {
                put(hub, receiver, "slow", "40s");
                put(hub, receiver, "quick", "5s");
            }
            try (TestHub hub = TestHub.startOn(database, Map.of("posthorn.relay.session-ttl", "30s"))) {
                JsonNode slow = hub.rest().get("/v1/subscriptions/slow").json();
                assertThat(slow.path("state").stringValue()).isEqualTo("invalid");
                assertThat(slow.path("reason").stringValue())
                        .contains("40s")
                        .contains("posthorn.relay.session-ttl of at least 81s");
                publish(hub, List.of(event("ttl.checked", "k")));
                await().atMost(60, SECONDS).until(() -> receiver.count() == 1);
            }
        }
    }

    private static void put(TestHub hub, Receiver receiver, String name, String timeout) {
        assertThat(hub.rest()
                        .put(
                                "/v1/subscriptions/" + name,
                                "{\"timeout\": \"%s\", \"sink\": {\"kind\": \"http\", \"url\": \"%s\"}}"
                                        .formatted(timeout, receiver.url("/" + name)))
                        .status())
                .isEqualTo(201);
    }
}
