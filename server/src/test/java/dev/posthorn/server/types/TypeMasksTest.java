package dev.posthorn.server.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.util.Collections;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The masks of an event type, and what is said about data that breaks its JSON Schema. */
class TypeMasksTest {

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static Answer put(String name, String document) {
        return hub.rest().put("/v1/event-types/" + name, document);
    }

    @Test
    void masksAreKeptWithTheTypeUntilItIsPutWithoutThem() {
        assertThat(put("kept", "{\"masks\": [\"/a\", \"/b/*/c\", \"/a\"]}").status())
                .isEqualTo(201);
        JsonNode type = hub.rest().get("/v1/event-types/kept").json();
        assertThat(type.get("masks").toString()).isEqualTo("[\"/a\",\"/b/*/c\"]");
        assertThat(put("kept", "{\"masks\": [\"/a\", \"/b/*/c\"]}").header("ETag"))
                .isEqualTo("\"1\"");
        Answer changed = put("kept", "{\"masks\": []}");
        assertThat(changed.header("ETag")).isEqualTo("\"2\"");
        assertThat(changed.json().has("masks")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "[\"a\"]           | masks[0] | must be a JSON pointer and begin with /",
                "[\"/a\", \"/~2\"] | masks[1] | write ~0 for ~ and ~1 for /",
                "[null]            | masks[0] | is null",
                "[\"/\\u0000\"]    | masks[0] | NUL",
                "\"/a\"            | masks    | give an array",
            })
    void aMaskThatIsNoPointerIsRefused(String masks, String field, String rule) {
        Answer answer = put("refused", "{\"masks\": " + masks + "}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        JsonNode violation = answer.json().get("violations").get(0);
        assertThat(violation.get("field").asString()).isEqualTo(field);
        assertThat(violation.get("rule").asString()).contains(rule);
    }

    @Test
    void thereMayBeAHundredMasksOfFiveHundredCharacters() {
        String longest = "\"/" + "x".repeat(499) + "\"";
        assertThat(put("long", "{\"masks\": [" + longest + "]}").status()).isEqualTo(201);
        assertThat(put("long", "{\"masks\": [\"/x" + longest.substring(2) + "]}")
                        .text())
                .contains("masks[0]", "the limit is 500");
        String most = String.join(",", Collections.nCopies(100, "\"/a\""));
        assertThat(put("many", "{\"masks\": [" + most + "]}").status()).isEqualTo(201);
        assertThat(put("many", "{\"masks\": [" + most + ",\"/a\"]}").text()).contains("101 pointers", "limit is 100");
    }

    @Test
    void aViolationNamesTheRuleAndNotTheMaskedValue() {
        put("ruled", """
                {"masks": ["/customer", "/pin"], "jsonSchema": {
                  "properties": {
                    "pin": {"type": "integer"},
                    "customer": {"additionalProperties": {"enum": ["swordfish"]}},
                    "index": {"propertyNames": {"maxLength": 3}},
                    "open": {"const": 1}}}}
                """);
        Answer answer = hub.rest().post("/v1/events", """
                {"source": "s", "type": "ruled", "data": {
                  "pin": "open-sesame", "customer": {"ann@example.com": "hunter-22"},
                  "index": {"hunter-22": 1}, "open": 2}}
                """);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.text()).doesNotContain("open-sesame", "ann@example.com", "hunter-22", "swordfish");
        assertThat(answer.text())
                .contains("\"data.pin\"", "'type'", "\"data.customer\"", "'enum'", "must be the constant value '1'")
                .contains("must be at most 3 characters long");
    }

    @Test
    void withoutMasksAViolationSaysAllThereIsToSay() {
        put("unruled", "{\"jsonSchema\": {\"properties\": {\"pin\": {\"enum\": [\"swordfish\"]}}}}");
        assertThat(hub.rest()
                        .post("/v1/events", "{\"source\": \"s\", \"type\": \"unruled\", \"data\": {\"pin\": 1}}")
                        .text())
                .contains("swordfish");
    }
}
