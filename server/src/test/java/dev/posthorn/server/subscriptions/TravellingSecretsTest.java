package dev.posthorn.server.subscriptions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.testkit.Receiver;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A secret stays with the one that it was given for, and nobody reads it on the way. */
@ExtendWith(SharedHub.class)
class TravellingSecretsTest {

    private static final String TOKEN = "t0ken-that-must-not-travel";

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
        rest.delete("/v1/subscriptions/travel");
        PatientCalls.awaitGone(rest, "travel");
        rest.delete("/v1/guards/travel");
    }

    private static Answer put(String document) {
        return rest.put("/v1/subscriptions/travel", document);
    }

    private static void assertAskedAgain(Answer answer, String place, String why) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.json().at("/violations/0/field").asString()).isEqualTo(place);
        assertThat(answer.json().at("/violations/0/rule").asString()).contains(why, "give it anew");
    }

    @Test
    void theTokenIsNotSentToAnotherHost() {
        String document = """
                {"timeout": "40s", "sink": {"kind": "http", "url": "%s", "auth": {"kind": "bearer", "token": "%s"}%s}}
                """;
        try (Receiver thief = Receiver.start()) {
            assertThat(put(document.formatted(receiver.url("/hook"), TOKEN, "")).status())
                    .isEqualTo(201);
            assertAskedAgain(put(document.formatted(thief.url("/hook"), "********", "")), "sink.auth.token", "url");
            String localhost = receiver.url("/hook").replace("127.0.0.1", "localhost");
            assertAskedAgain(put(document.formatted(localhost, "********", "")), "sink.auth.token", "url");
            String proxy = ", \"proxy\": \"http://127.0.0.1:" + thief.port() + "\"";
            assertAskedAgain(
                    put(document.formatted(receiver.url("/hook"), "********", proxy)), "sink.auth.token", "proxy");
            rest.post("/v1/subscriptions/travel/test");
            assertThat(thief.count()).isZero();
            assertThat(put(document.formatted(receiver.url("/other"), "********", ", \"concurrency\": 3"))
                            .status())
                    .as("another path is the same receiver's")
                    .isEqualTo(200);
            rest.post("/v1/subscriptions/travel/test");
            assertThat(receiver.requests().get(receiver.count() - 1).header("Authorization"))
                    .isEqualTo("Bearer " + TOKEN);
            assertThat(put(document.formatted(thief.url("/hook"), "another", ""))
                            .status())
                    .as("given anew")
                    .isEqualTo(200);
        }
    }

    @Test
    void norByItsFingerprint() {
        String document =
                "{\"sink\": {\"kind\": \"http\", \"url\": \"%s\", \"auth\": {\"kind\": \"bearer\", \"token\": \"%s\"}}}";
        String mask = put(document.formatted(receiver.url("/hook"), TOKEN))
                .json()
                .at("/sink/auth/token")
                .asString();
        assertThat(mask).startsWith("********").hasSizeGreaterThan(8);
        try (Receiver thief = Receiver.start()) {
            assertAskedAgain(put(document.formatted(thief.url("/hook"), mask)), "sink.auth.token", "url");
            Answer patched = rest.with("Content-Type", "application/merge-patch+json")
                    .call(
                            "PATCH",
                            "/v1/subscriptions/travel",
                            "{\"sink\": {\"url\": \"%s\"}}"
                                    .formatted(thief.url("/hook"))
                                    .getBytes(UTF_8));
            assertAskedAgain(patched, "sink.auth.token", "url");
        }
    }

    @Test
    void norByAGuard() {
        String document = "{\"url\": \"%s\", \"headers\": {\"x-key\": \"%s\"}}";
        assertThat(rest.put("/v1/guards/travel", document.formatted(receiver.url("/hook"), TOKEN))
                        .status())
                .isEqualTo(201);
        try (Receiver thief = Receiver.start()) {
            assertAskedAgain(
                    rest.put("/v1/guards/travel", document.formatted(thief.url("/hook"), "********")),
                    "headers.x-key",
                    "url");
            rest.post("/v1/guard/travel", "{\"id\": \"g-1\", \"source\": \"s\", \"type\": \"t\", \"data\": 1}");
            assertThat(thief.count()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tokenUrl | \"tokenUrl\": \"http://127.0.0.1:9/t\" | \"tokenUrl\": \"http://127.0.0.1:8/t\"",
                "trustOnly | \"tls\": {} | \"tls\": {\"trustOnly\": \"PEM\"}",
            })
    void norByAnotherWay(String why, String before, String after) {
        String document = """
                {"sink": {"kind": "http", "url": "http://127.0.0.1:9/", "tls": {},
                 "auth": {"kind": "oauth2", "tokenUrl": "http://127.0.0.1:9/t", "clientId": "a", "clientSecret": "%s"}}}
                """;
        assertThat(put(document.formatted(TOKEN)).status()).isEqualTo(201);
        assertAskedAgain(put(document.formatted("********").replace(before, after)), "sink.auth.clientSecret", why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bootstrapServers | 127.0.0.1:9 | 127.0.0.1:8",
                "settings | SASL_SSL | SASL_PLAINTEXT",
                "settings | SCRAM-SHA-512 | PLAIN",
                "settings | https://login.example | https://evil.example",
            })
    void norToAnotherCluster(String why, String before, String after) {
        String document = """
                {"sink": {"kind": "kafka", "bootstrapServers": "127.0.0.1:9", "settings": {
                 "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
                 "sasl.oauthbearer.token.endpoint.url": "https://login.example/token",
                 "sasl.jaas.config": "%s"}}}
                """;
        String jaas = "org.apache.kafka.common.security.scram.ScramLoginModule required username=a password=b;";
        assertThat(put(document.formatted(jaas)).status()).isEqualTo(201);
        assertAskedAgain(
                put(document.formatted("********").replace(before, after)), "sink.settings.sasl.jaas.config", why);
    }

    @Test
    void aTokenInAUrlIsShownToNobody() {
        String url = receiver.url("/hooks/p4th-token?key=qu3ry-token");
        String document = "{\"timeout\": \"40s\", \"sink\": {\"kind\": \"http\", \"url\": \"%s\"%s}}";
        assertThat(put(document.formatted(url, "")).text())
                .contains("/hooks/p4th-token?********")
                .doesNotContain("qu3ry-token");
        assertThat(put(document.formatted(url, ", \"secretUrl\": true")).text())
                .contains("/********")
                .doesNotContain("p4th-token", "qu3ry-token");
        String masked = receiver.url("/********");
        assertThat(put(document.formatted(masked, ", \"secretUrl\": true, \"concurrency\": 2"))
                        .status())
                .as("written back")
                .isEqualTo(200);
        assertThat(put(document.formatted(masked, "")).status())
                .as("a path does not stop being secret")
                .isEqualTo(400);
        receiver.answering(request -> Receiver.Answer.of(404, "no " + request.uri() + " " + request.path()));
        Answer tested = rest.post("/v1/subscriptions/travel/test");
        assertThat(receiver.requests().get(0).uri().toString()).isEqualTo("/hooks/p4th-token?key=qu3ry-token");
        String seen = tested.text()
                + rest.get("/v1/subscriptions/travel").text()
                + rest.get("/v1/subscriptions").text()
                + rest.get("/v1/audit").text();
        assertThat(seen).contains("[hidden]").doesNotContain("qu3ry-token");
        assertThat(tested.text()).doesNotContain("p4th-token");
    }

    /** As an older version stored it. */
    @Test
    void aQueryThatIsStoredAsItIsIsNotShownEither() {
        String document = "{\"sink\": {\"kind\": \"http\", \"url\": \"%s\"}}";
        put(document.formatted(receiver.url("/hook?key=********").replace("********", "qu3ry-token")));
        hub.bean(Database.class)
                .queries()
                .run(
                        "going back",
                        transaction -> transaction.update(
                                "UPDATE posthorn.hub_subscription SET document = :document, secrets = NULL WHERE name = 'travel'",
                                Map.of("document", document.formatted(receiver.url("/hook?key=qu3ry-token")))));
        assertThat(rest.get("/v1/subscriptions/travel").text())
                .contains("/hook?********")
                .doesNotContain("qu3ry-token");
        assertThat(put(document.formatted(receiver.url("/hook?********"))).status())
                .isEqualTo(200);
        rest.post("/v1/subscriptions/travel/test");
        assertThat(receiver.requests().get(0).uri().getQuery()).isEqualTo("key=qu3ry-token");
    }

    @Test
    void aPasswordThatAReceiverRepeatsIsNotTold() {
        put("""
                {"timeout": "40s", "sink": {"kind": "http", "url": "%s",
                 "auth": {"kind": "basic", "username": "hub", "password": "pa\\"ss&w0rd"}}}
                """.formatted(receiver.url("/hook")));
        receiver.answering(
                401,
                "no such user hub:pa\"ss&w0rd, {\"password\": \"pa\\\"ss&w0rd\"} pa%22ss%26w0rd pa&quot;ss&amp;w0rd");
        Answer tested = rest.post("/v1/subscriptions/travel/test");
        assertThat(tested.json().path("reply").asString()).contains("[hidden]").doesNotContain("w0rd");
        assertThat(tested.json().path("reason").asString()).contains("[hidden]").doesNotContain("w0rd");
    }
}
