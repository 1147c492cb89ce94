package dev.posthorn.server.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.time.Duration;
import java.util.Base64;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schemas that were written to be slow, and data that was written for them. */
@ExtendWith(SharedHub.class)
class CostlySchemasTest {

    private static TestHub hub;

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
    }

    private static Answer put(String name, String schema) {
        return soon(() -> hub.rest().put("/v1/event-types/" + name, "{\"jsonSchema\": " + schema + "}"));
    }

    private static Answer publish(String type, String data) {
        return soon(() ->
                hub.rest().post("/v1/events", "{\"source\":\"s\",\"type\":\"%s\",\"data\":%s}".formatted(type, data)));
    }

    private static Answer soon(ThrowingSupplier<Answer> call) {
        return assertTimeoutPreemptively(Duration.ofSeconds(60), call);
    }

    /** It took a thread of REST for ever. Java itself ends the better known ones, such as (a+)+. */
    @ParameterizedTest
    @ValueSource(strings = {"^a*a*a*a*a*a*a*a*b$", "^(a|aa)+(c?)\\\\2b$"})
    void aPatternThatNeverEndsRefusesTheEventSoon(String pattern) {
        assertThat(put("slow", "{\"pattern\": \"" + pattern + "\"}").status()).isIn(200, 201);
        assertThat(publish("slow", "\"" + "a".repeat(300) + "\"").text()).contains("takes too long");
        assertThat(publish("slow", "\"aab\"").status()).isEqualTo(202);
        assertThat(soon(() -> hub.rest().get("/actuator/health/liveness")).status())
                .isEqualTo(200);
    }

    @Test
    void namesOfPropertiesAreHeldToTheSameTime() {
        put("named", "{\"patternProperties\": {\"^a*a*a*a*a*a*a*a*b$\": {\"type\": \"string\"}}}");
        assertThat(publish("named", "{\"" + "a".repeat(300) + "\": 1}").text()).contains("takes too long");
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

    /** Each level doubled the work, so that a text of one character took a thread for ever. */
    @Test
    void referencesThatDoubleTheWorkRefuseTheEventSoon() {
        String levels = IntStream.range(0, 40)
                .mapToObj(i -> "\"a%d\": {\"%s\": [{\"$ref\": \"#/$defs/a%d\"}, {\"$ref\": \"#/$defs/a%d\"}]}"
                        .formatted(i, i % 2 == 0 ? "allOf" : "oneOf", i + 1, i + 1))
                .collect(Collectors.joining(", "));
        Answer put = put("double", "{\"$ref\": \"#/$defs/a0\", \"$defs\": {%s, \"a40\": true}}".formatted(levels));
        assertThat(put.status()).as(put.text()).isIn(200, 201);
        assertThat(publish("double", "\"x\"").text()).contains("takes too long");
    }

    /** Numbers of one hash were compared each to all others: 600 KB of them took minutes. */
    @Test
    void itemsMadeToCollideAreRefusedSoonAndOrdinaryOnesAreNot() {
        put("unique", "{\"properties\": {\"ids\": {\"uniqueItems\": true}}}");
        assertThat(publish("unique", "{\"ids\": " + numbers(40_000, i -> (i << 32) | i) + "}")
                        .text())
                .contains("uniqueItems");
        assertThat(publish("unique", "{\"ids\": " + numbers(40_000, i -> i) + "}")
                        .status())
                .isEqualTo(202);
        assertThat(publish("unique", "{\"others\": " + numbers(40_000, i -> 7) + "}")
                        .status())
                .isEqualTo(202);
        assertThat(publish("unique", "{\"ids\": [1, 1]}").text()).contains("unique");
    }

    private static String numbers(int count, LongUnaryOperator number) {
        return LongStream.rangeClosed(1, count)
                .map(number)
                .mapToObj(Long::toString)
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** It was read from the hub's class path, and a refusal quoted it. */
    @Test
    void aReferenceToTheDialectsSiteThatIsNoDialectIsNotLookedForAmongTheHubsFiles() {
        for (String path : new String[] {"x", "posthorn.yaml", "draft/../posthorn.yaml", ""}) {
            assertThat(put("files", "{\"$ref\": \"https://json-schema.org/" + path + "\"}")
                            .text())
                    .contains("not allowed");
        }
        assertThat(put("dialect", "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"type\": \"object\"}")
                        .status())
                .isIn(200, 201);
        assertThat(put("meta", "{\"$ref\": \"https://json-schema.org/draft/2020-12/schema\"}")
                        .status())
                .isIn(200, 201);
    }

    /** It was an error of the hub's. */
    @Test
    void filesThatImportEachOtherWithoutEndAreRefused() {
        FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
        for (int i = 0; i < 20_000; i++) {
            set.addFile(FileDescriptorProto.newBuilder().setName("f" + i).addDependency("f" + (i + 1)));
        }
        set.addFile(FileDescriptorProto.newBuilder().setName("f20000"));
        String descriptor = Base64.getEncoder().encodeToString(set.build().toByteArray());
        Answer put = soon(() -> hub.rest()
                .put(
                        "/v1/event-types/deep",
                        "{\"protobuf\": {\"descriptor\": \"%s\", \"message\": \"M\"}}".formatted(descriptor)));
        assertThat(put.status()).as(put.text()).isEqualTo(400);
    }
}
