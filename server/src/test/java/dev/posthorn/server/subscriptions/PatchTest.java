package dev.posthorn.server.subscriptions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Some fields of a subscription or a guard are changed, and the rest stays. */
@ExtendWith(SharedHub.class)
class PatchTest {

    private static final String PATH = "/v1/subscriptions/patched";
    private static final String GUARD = "/v1/guards/patched";
    private static final String MERGE_PATCH = "application/merge-patch+json";

    private static TestHub hub;
    private static TestClient rest;

    private final Receiver receiver = Receiver.start();

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
        rest = hub.rest();
    }

    @BeforeEach
    void make() {
        assertThat(rest.put(PATH, """
                        {"description": "before", "timeout": "40s", "start": "beginning", "filter": {"types": ["a", "b"]},
                         "sink": {"kind": "http", "url": "%s", "headers": {"x-a": "first", "x-b": "second"},
                                  "auth": {"kind": "bearer", "token": "the-token"}}}
                        """.formatted(receiver.url("/hook"))).status())
                .isEqualTo(201);
        assertThat(rest.put(GUARD, """
                        {"timeout": "50s", "repeatOn": [503], "url": "%s", "headers": {"x-a": "first", "x-b": "second"}}
                        """.formatted(receiver.url("/guarded"))).status())
                .isEqualTo(201);
    }

    @AfterEach
    void close() {
        receiver.close();
        rest.delete(PATH);
        PatientCalls.awaitGone(rest, "patched");
        rest.delete(GUARD);
    }

    private static Answer patch(String path, String patch) {
        return rest.with("Content-Type", MERGE_PATCH).call("PATCH", path, patch.getBytes(UTF_8));
    }

    /** It was answered with 200, and went on to send. */
    @Test
    void whatOnlyAnswersHaveIsNoChange() {
        for (String patch : new String[] {"{\"paused\": true}", "{\"state\": \"paused\"}", "{\"createdAt\": null}"}) {
            Answer refused = patch(PATH, patch);
            assertThat(refused.status()).as(patch).isEqualTo(400);
            assertThat(refused.text()).contains("cannot be set");
        }
        assertThat(rest.get(PATH).json().path("paused").booleanValue()).isFalse();
    }

    private static JsonNode patched(String path, String patch) {
        Answer answer = patch(path, patch);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private static void assertRefused(Answer answer, String field, String... rule) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.json().at("/violations/0/field").asString()).isEqualTo(field);
        assertThat(answer.json().at("/violations/0/rule").asString()).contains(rule);
    }

    @Test
    void whatIsNamedIsChangedAndTheRestStaysWithItsSecrets() {
        JsonNode before = rest.get(PATH).json();
        JsonNode after = patched(PATH, """
                {"description": null, "filter": {"types": ["c"], "sources": ["s"]},
                 "sink": {"concurrency": 3, "headers": {"x-a": null, "x-c": "third"}}}
                """);
        assertThat(after.path("revision").asInt())
                .isEqualTo(before.path("revision").asInt() + 1);
        assertThat(after.has("description")).isFalse();
        assertThat(after.path("filter").toString()).isEqualTo("{\"types\":[\"c\"],\"sources\":[\"s\"]}");
        assertThat(after.path("start").asString()).isEqualTo("beginning");
        assertThat(after.path("timeout").asString()).isEqualTo("40s");
        assertThat(after.at("/sink/concurrency").asInt()).isEqualTo(3);
        assertThat(after.at("/sink/headers/x-b")).isEqualTo(before.at("/sink/headers/x-b"));
        rest.post(PATH + "/test");
        Request sample = receiver.requests().get(0);
        assertThat(sample.header("Authorization")).isEqualTo("Bearer the-token");
        assertThat(sample.header("x-a")).isNull();
        assertThat(sample.header("x-b")).isEqualTo("second");
        assertThat(sample.header("x-c")).isEqualTo("third");
    }

    @Test
    void andOfAGuard() {
        JsonNode after = patched(GUARD, "{\"repeatOn\": null, \"timeout\": \"40s\", \"headers\": {\"x-a\": null}}");
        assertThat(after.has("repeatOn")).isFalse();
        assertThat(after.path("timeout").asString()).isEqualTo("40s");
        rest.post("/v1/guard/patched", "{\"id\": \"g-1\", \"source\": \"s\", \"type\": \"t\", \"data\": 1}");
        assertThat(receiver.requests().get(0).header("x-a")).isNull();
        assertThat(receiver.requests().get(0).header("x-b")).isEqualTo("second");
        assertRefused(patch(GUARD, "{\"url\": null, \"repeat\": []}"), "repeat", "did you mean repeatOn?");
    }

    @ParameterizedTest
    @ValueSource(strings = {PATH, GUARD})
    void aPatchDependsOnTheRevisionAndChangesNothingTwice(String path) {
        String first = rest.get(path).header("ETag");
        Answer changed = rest.with("If-Match", first)
                .with("Content-Type", "application/json")
                .call("PATCH", path, "{\"timeout\": \"7s\"}".getBytes(UTF_8));
        assertThat(changed.status()).as(changed.text()).isEqualTo(200);
        assertThat(changed.header("ETag")).isNotEqualTo(first);
        Answer again = patch(path, "{\"timeout\": \"7s\"}");
        assertThat(again.header("ETag")).isEqualTo(changed.header("ETag"));
        assertThat(rest.with("If-Match", first)
                        .with("Content-Type", MERGE_PATCH)
                        .call("PATCH", path, "{\"timeout\": \"8s\"}".getBytes(UTF_8))
                        .status())
                .isEqualTo(412);
        assertThat(patch(path, "{\"revision\": 0, \"timeout\": \"8s\"}").status())
                .isEqualTo(412);
        String target = path.substring("/v1/".length()).replace("s/", "/");
        JsonNode entries =
                rest.get("/v1/audit?target=" + target + "&limit=100").json().path("items");
        assertThat(entries.get(0).path("action").asString()).endsWith(".change");
        assertThat(entries.get(0).at("/detail/changed").asString()).isEqualTo("timeout");
        assertThat(entries.get(0).at("/detail/revision").asString())
                .isEqualTo(changed.json().path("revision").asString());
    }

    @Test
    void whatAPatchMakesOfItIsHeldToTheSameRules() {
        int before = rest.get(PATH).json().path("revision").asInt();
        assertRefused(patch(PATH, "{\"lane\": 3}"), "lane", "did you mean lanes?");
        assertRefused(patch(PATH, "{\"sink\": null}"), "sink", "is missing");
        assertRefused(patch(PATH, "{\"lanes\": 0}"), "lanes", "must be 1 to 256");
        assertRefused(patch(PATH, "{\"name\": \"another\"}"), "name", "'patched'");
        assertRefused(patch(PATH, "[]"), "", "one JSON object");
        assertRefused(patch(PATH, "{\"sink\": {\"auth\": {\"kind\": \"none\"}}}"), "sink.auth.token", "is unknown");
        assertThat(patch(PATH, "{\"start\": \"now\"}").status()).isEqualTo(409);
        assertThat(patched(PATH, "{\"start\": null}").path("start").asString()).isEqualTo("beginning");
        assertThat(patched(PATH, "{\"sink\": {\"auth\": null}}")
                        .at("/sink/auth")
                        .isMissingNode())
                .isTrue();
        assertThat(rest.with("Content-Type", "text/plain")
                        .call("PATCH", PATH, "{}".getBytes(UTF_8))
                        .status())
                .isEqualTo(415);
        assertThat(rest.get(PATH).json().path("revision").asInt()).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/subscriptions/nobody", "/v1/guards/nobody"})
    void whatIsNotThereIsNotMade(String path) {
        assertThat(patch(path, "{\"timeout\": \"7s\"}").status()).isEqualTo(404);
        assertThat(rest.with("If-Match", "*")
                        .with("Content-Type", MERGE_PATCH)
                        .call("PATCH", path, "{}".getBytes(UTF_8))
                        .status())
                .isEqualTo(404);
    }

    /** Several small patches must not make what one PUT could not. */
    @Test
    void whatIsPatchedStaysWithinTheLimit() {
        String many = "\"x\", ".repeat(10_000) + "\"x\"";
        assertThat(patch(PATH, "{\"filter\": {\"types\": [%s]}}".formatted(many))
                        .status())
                .isEqualTo(200);
        assertRefused(patch(PATH, "{\"filter\": {\"sources\": [%s]}}".formatted(many)), "", "65536");
    }
}
