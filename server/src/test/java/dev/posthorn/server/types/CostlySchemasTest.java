package dev.posthorn.server.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schemas that were written to be slow, and data that was written for them. */
class CostlySchemasTest {

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static Answer put(String name, String schema) {
        return soon(() -> hub.rest().put("/v1/event-types/" + name, "{\"jsonSchema\": " + schema + "}"));
    }

    private static Answer publish(String type, String data) {
        return soon(() ->
                hub.rest().post("/v1/events", "{\"source\":\"s\",\"type\":\"%s\",\"data\":%s}".formatted(type, data)));
    }

    private static Answer soon(ThrowingSupplier<Answer> call) {
        return assertTimeoutPreemptively(Duration.ofSeconds(10), call);
    }

    /** It took a thread of REST for ever. Java itself ends the better known ones, such as (a+)+. */
    @ParameterizedTest
    @ValueSource(strings = {"^a*a*a*a*a*a*a*a*b$", "^(a|aa)+(c?)\\\\2b$"})
    void aPatternThatNeverEndsRefusesTheEventSoon(String pattern) {
        assertThat(put("slow", "{\"pattern\": \"" + pattern + "\"}").status()).isIn(200, 201);
        assertThat(publish("slow", "\"" + "a".repeat(300) + "\"").text()).contains("take too long");
        assertThat(publish("slow", "\"aab\"").status()).isEqualTo(202);
        assertThat(soon(() -> hub.rest().get("/actuator/health/liveness")).status())
                .isEqualTo(200);
    }

    @Test
    void namesOfPropertiesAreHeldToTheSameTime() {
        put("named", "{\"patternProperties\": {\"^a*a*a*a*a*a*a*a*b$\": {\"type\": \"string\"}}}");
        assertThat(publish("named", "{\"" + "a".repeat(300) + "\": 1}").text()).contains("take too long");
    }

    @Test
    void anOrdinaryPatternHoldsForLongTextsAndForMany() {
        put("fast", "{\"items\": {\"pattern\": \"^[a-z]+(-[a-z]+)*$\"}}");
        String many = IntStream.range(0, 20_000).mapToObj(i -> "\"some-name\"").collect(Collectors.joining(","));
        Answer taken = publish("fast", "[" + many + "]");
        assertThat(taken.status()).as(taken.text()).isEqualTo(202);
        assertThat(publish("fast", "[\"" + "a-".repeat(300) + "a\"]").status()).isEqualTo(202);
        assertThat(publish("fast", "[\"A\"]").text()).contains("data[0]");
    }
}
