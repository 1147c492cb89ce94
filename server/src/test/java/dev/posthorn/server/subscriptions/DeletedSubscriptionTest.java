package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What has become of an event is told after its subscription was deleted. */
class DeletedSubscriptionTest {

    private static final String DOCUMENT = """
            {"filter": {"types": ["gone.*"]}, "start": "beginning", "keepAttempts": "all",
             "sink": {"kind": "http", "url": "%s"}}""";

    @Test
    void whatItHadDeliveredIsToldAndThatItIsDeleted() {
        try (TestHub hub = TestHub.start();
                Receiver receiver = Receiver.start()) {
            TestClient rest = hub.rest();
            String document = DOCUMENT.formatted(receiver.url("/"));
            rest.put("/v1/subscriptions/gone", document);
            Event event = event("gone.once", "k");
            publish(hub, List.of(event));
            String path = "/v1/events/" + event.id();
            awaitDelivered(rest, path, 1);
            PatientCalls.delete(rest, "gone");

            JsonNode told = rest.get(path).json();
            assertThat(told.path("status").stringValue()).isEqualTo("DELIVERED");
            JsonNode deleted = told.path("subscriptions").path(0);
            assertThat(deleted.path("subscription").stringValue()).isEqualTo("gone");
            assertThat(deleted.path("status").stringValue()).isEqualTo("DELIVERED");
            assertThat(deleted.has("deletedAt")).isTrue();
            assertThat(deleted.has("deliveredAt")).isTrue();
            assertThat(rest.get("/v1/events?type=gone.once").text())
                    .as("a list of what thousands may have delivered would be long")
                    .contains(event.id().toString())
                    .doesNotContain("deletedAt");

            rest.put("/v1/subscriptions/gone", document);
            awaitDelivered(rest, path, 2);
            JsonNode both = rest.get(path).json().path("subscriptions");
            assertThat(both.path(0).has("deletedAt")).isTrue();
            assertThat(both.path(0).path("made")).as("those of the other").isEmpty();
            assertThat(both.path(1).has("deletedAt")).isFalse();
            assertThat(both.path(1).path("made")).hasSize(1);
            assertThat(rest.get("/v1/status").json().path("subscriptions")).hasSize(1);
        }
    }

    private static void awaitDelivered(TestClient rest, String path, int subscriptions) {
        await().atMost(60, SECONDS).untilAsserted(() -> {
            JsonNode told = rest.get(path).json();
            assertThat(told.path("subscriptions")).hasSize(subscriptions);
            assertThat(told.path("status").stringValue()).isEqualTo("DELIVERED");
        });
    }
}
