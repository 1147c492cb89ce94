package dev.posthorn.server.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** What GET answers can be changed and sent back by PUT, and what is wrong with it is told at once. */
class WrittenBackTest {

    private static final Map<String, String> DOCUMENTS = Map.of("/v1/subscriptions/", """
            {"description": "all", "start": "beginning", "timeout": "2s",
             "sink": {"kind": "http", "url": "http://127.0.0.1:9/x?key=qu3ry", "headers": {"x-a": "s3cret"},
                      "auth": {"kind": "basic", "username": "hub", "password": "passw0rd"}}}
            """, "/v1/guards/", """
            {"timeout": "2s", "url": "http://127.0.0.1:9/x?key=qu3ry", "headers": {"x-a": "s3cret"},
             "auth": {"kind": "basic", "username": "hub", "password": "passw0rd"}}
            """);

    private static TestHub hub;
    private static TestClient rest;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.relay.enabled", "false"));
        rest = hub.rest();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static ObjectNode made(String path) {
        String base = path.substring(0, path.lastIndexOf('/') + 1);
        assertThat(rest.put(path, DOCUMENTS.get(base)).status()).isEqualTo(201);
        return read(path);
    }

    private static ObjectNode read(String path) {
        return (ObjectNode) rest.get(path).json();
    }

    private static void assertRefused(Answer answer, String field, String... rule) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.json().at("/violations/0/field").asString()).isEqualTo(field);
        assertThat(answer.json().at("/violations/0/rule").asString()).contains(rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/subscriptions/", "/v1/guards/"})
    void whatWasReadIsWrittenBackAsItIs(String base) {
        ObjectNode read = made(base + "same");
        Answer same = rest.put(base + "same", read.toString());
        assertThat(same.status()).as(same.text()).isEqualTo(200);
        assertThat(same.json()).as("nothing was changed").isEqualTo(read);
        Answer changed = rest.put(base + "same", read.put("timeout", "3s").toString());
        assertThat(changed.status()).as(changed.text()).isEqualTo(200);
        assertThat(changed.json().path("timeout").asString()).isEqualTo("3s");
        assertThat(changed.json().path("revision").asLong())
                .isGreaterThan(read.path("revision").asLong());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/subscriptions/", "/v1/guards/"})
    void whoeverReadAnEarlierRevisionIsToldSo(String base) {
        ObjectNode read = made(base + "stale");
        rest.put(base + "stale", read.deepCopy().put("timeout", "3s").toString());
        Answer stale = rest.put(base + "stale", read.put("timeout", "4s").toString());
        assertThat(stale.status()).as(stale.text()).isEqualTo(412);
        assertThat(stale.json().path("detail").asString()).contains("it is at revision", "read it again");
        assertThat(read(base + "stale").path("timeout").asString()).isEqualTo("3s");
        Answer forced = rest.put(
                base + "stale",
                read.without(List.of("revision")).put("timeout", "4s").toString());
        assertThat(forced.status()).as(forced.text()).isEqualTo(200);
        assertRefused(rest.put(base + "stale", read.put("revision", "1").toString()), "revision", "whole number");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/subscriptions/", "/v1/guards/"})
    void whatWasReadOfOneIsNotTakenForAnother(String base) {
        ObjectNode read = made(base + "mine");
        Answer other = rest.put(base + "other", read.toString());
        assertRefused(other, "name", "'other'", "leave it out");
        ObjectNode nameless = read.without(List.of("name"));
        Answer created = rest.put(base + "other", nameless.toString());
        assertThat(created.status()).as("there is no such revision of it").isEqualTo(412);
        assertThat(created.json().path("detail").asString()).contains("leave out revision to create it");
        assertThat(rest.get(base + "other").status()).isEqualTo(404);
    }

    @Test
    void howItStandsCannotBeSet() {
        String path = "/v1/subscriptions/standing";
        ObjectNode read = made(path);
        read.put("paused", true).put("state", "paused").put("createdAt", "2000-01-01T00:00:00Z");
        Answer same = rest.put(path, read.toString());
        assertThat(same.status()).as(same.text()).isEqualTo(200);
        assertThat(same.json().path("paused").asBoolean()).isFalse();
        assertRefused(rest.put(path, read.put("stat", "x").toString()), "stat", "did you mean start?");
    }

    @Test
    void allThatIsUnknownOrMissingInASubscriptionIsToldAtOnce() {
        Answer answer = rest.put("/v1/subscriptions/faulty", """
                {"lane": 3, "timeout": 5, "retry": {"attempts": 3, "delays": ["x", "y"]},
                 "sink": {"kind": "http", "uri": "http://127.0.0.1:9/", "auth": {"kind": "basic", "user": "hub"},
                          "tls": {"clientKey": "k"}}}
                """);
        assertThat(fields(answer))
                .containsExactlyInAnyOrder(
                        "lane",
                        "timeout",
                        "retry.attempts",
                        "retry.delays[0]",
                        "sink.uri",
                        "sink.url",
                        "sink.auth.user",
                        "sink.auth.username",
                        "sink.auth.password",
                        "sink.tls.clientCertificate");
        assertThat(answer.text()).contains("did you mean lanes?", "did you mean maxAttempts?", "did you mean url?");
        assertThat(fields(rest.put("/v1/subscriptions/faulty", "{\"lane\": 3, \"sinks\": {}}")))
                .containsExactly("lane", "sinks", "sink");
        assertThat(fields(rest.put("/v1/subscriptions/faulty", "{\"lane\": 3, \"sink\": {\"kind\": \"smtp\"}}")))
                .as("what was wrong is not missing too")
                .containsExactlyInAnyOrder("lane", "sink.kind");
    }

    @Test
    void andInAGuard() {
        Answer answer = rest.put("/v1/guards/faulty", """
                {"uri": "http://127.0.0.1:9/", "repeat": [503], "auth": {"kind": "oauth2", "clientId": "me"}}
                """);
        assertThat(fields(answer))
                .containsExactlyInAnyOrder("uri", "repeat", "url", "auth.tokenUrl", "auth.clientSecret");
    }

    /** Each fault costs a reading; a document of nothing but faults must not cost thousands. */
    @Test
    void aDocumentOfNothingButFaultsIsGivenUp() {
        StringBuilder faults = new StringBuilder("{");
        for (int i = 0; i < 5_000; i++) {
            faults.append("\"f").append(i).append("\": 1, ");
        }
        Answer answer = rest.put("/v1/subscriptions/faulty", faults + "\"last\": 1}");
        assertThat(fields(answer)).hasSize(20).contains("f0", "f19");
    }

    private static List<String> fields(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        return answer.json()
                .path("violations")
                .valueStream()
                .map(each -> each.path("field").asString())
                .toList();
    }
}
