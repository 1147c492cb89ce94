package dev.posthorn.server.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Six event types of 14 MB, and twelve viewers who listed them at a time, stopped a hub with a heap of 512 MB. */
class LargeDocumentsTest {

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static Answer putSchema(String name, int length) {
        return hub.rest()
                .put("/v1/event-types/" + name, "{\"jsonSchema\": {\"description\": \"" + "x".repeat(length) + "\"}}");
    }

    @Test
    void documentsThatAreTooLongAreRefused() {
        assertThat(putSchema("schema", 250_000).text()).contains("jsonSchema", "the limit is 250000");
        assertThat(hub.rest()
                        .put(
                                "/v1/event-types/descriptor",
                                "{\"protobuf\": {\"message\": \"M\", \"descriptor\": \"" + "A".repeat(1_000_001)
                                        + "\"}}")
                        .text())
                .contains("protobuf.descriptor", "the limit is 1000000");
        String sink = "{\"description\": \"" + "x".repeat(66_000)
                + "\", \"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/\"}}";
        assertThat(hub.rest().put("/v1/subscriptions/long", sink).text()).contains("the limit is 65536");
        assertThat(hub.rest().put("/v1/guards/long", sink).text()).contains("the limit is 65536");
    }

    @Test
    void aPageOfLongDefinitionsIsShortAndTheNextOnesHaveTheRest() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            assertThat(putSchema("long" + (char) ('a' + i), 240_000).status()).isEqualTo(201);
            names.add("long" + (char) ('a' + i));
        }
        List<String> listed = new ArrayList<>();
        String next = "";
        int pages = 0;
        do {
            JsonNode page = hub.rest().get("/v1/event-types?limit=1000" + next).json();
            assertThat(page.path("items").size()).isBetween(1, 5);
            page.path("items").forEach(type -> listed.add(type.path("name").asString()));
            next = page.has("next") ? "&after=" + page.path("next").asString() : "";
            pages++;
        } while (!next.isEmpty());
        assertThat(pages).isGreaterThan(2);
        assertThat(listed).containsAll(names).doesNotHaveDuplicates();
    }
}
