package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import dev.posthorn.webhook.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A signing secret is followed by a new one, and dropped by the hub when its time is up. */
class SecretRotationTest {

    private static final String OLD = Signature.newSecret();

    private static final AtomicInteger NAMES = new AtomicInteger();

    private static String database;
    private static TestHub hub;
    private static TestClient rest;

    private final Receiver receiver = Receiver.start();
    private final String name = "signed-" + NAMES.incrementAndGet();
    private final String path = "/v1/subscriptions/" + name;

    @BeforeAll
    static void start() {
        database = TestHub.newDatabase();
        hub = TestHub.startOn(database, Map.of());
        rest = hub.rest();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @BeforeEach
    void make() {
        assertThat(rest.put(path, document("\"signingSecrets\": [\"" + OLD + "\"]"))
                        .status())
                .isEqualTo(201);
    }

    @AfterEach
    void close() {
        PatientCalls.delete(rest, name);
        receiver.close();
    }

    private String document(String settings) {
        return "{\"timeout\": \"40s\", \"sink\": {\"kind\": \"http\", \"url\": \"%s\", %s}}"
                .formatted(receiver.url("/hook"), settings);
    }

    private Answer rotate(String body) {
        return rest.post(path + "/rotate-secret", body);
    }

    private String rotated(String body) {
        Answer answer = rotate(body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json().path("secret").asString();
    }

    private JsonNode read() {
        return rest.get(path).json();
    }

    /** In this order, and by no others. */
    private void assertSignedBy(String... secrets) {
        Answer tested = rest.post(path + "/test");
        assertThat(tested.json().path("outcome").asString()).as(tested.text()).isEqualTo("delivered");
        Request sample = receiver.requests().get(receiver.count() - 1);
        assertThat(sample.header("webhook-signature"))
                .isEqualTo(Signature.of(List.of(secrets))
                        .of(
                                sample.header("webhook-id"),
                                Long.parseLong(sample.header("webhook-timestamp")),
                                sample.body()));
    }

    private void letTheGracePass() {
        int changed = hub.bean(Database.class)
                .queries()
                .run(
                        "letting time pass",
                        t -> t.update(
                                "UPDATE posthorn.hub_subscription SET former_secret_until = posthorn.clock()"
                                        + " WHERE former_secret_until > posthorn.clock()",
                                Map.of()));
        assertThat(changed).isOne();
    }

    private JsonNode droppedSecret() {
        await().atMost(60, SECONDS).until(() -> !read().has("formerSecretUntil"));
        return read();
    }

    private List<JsonNode> audited(String action) {
        return rest.get("/v1/audit?target=subscription/" + name + "&action=" + action)
                .json()
                .path("items")
                .valueStream()
                .toList();
    }

    @Test
    void bothSignUntilTheGraceHasPassed() {
        String former = read().at("/sink/signingSecrets/0").asString();
        Answer answer = rotate("{\"grace\": \"1h\"}");
        String secret = answer.json().path("secret").asString();
        assertThat(answer.header("ETag")).isEqualTo("\"2\"");
        Instant until = Instant.parse(answer.json().path("formerSecretUntil").asString());
        assertThat(Duration.between(Instant.now(), until)).isBetween(Duration.ofMinutes(55), Duration.ofMinutes(65));
        assertThat(read().path("formerSecretUntil")).isEqualTo(answer.json().path("formerSecretUntil"));
        assertThat(read().at("/sink/signingSecrets/1").asString()).isEqualTo(former);
        assertSignedBy(secret, OLD);

        letTheGracePass();
        JsonNode after = droppedSecret();
        assertThat(after.path("revision").asInt()).isEqualTo(3);
        assertThat(after.at("/sink/signingSecrets")).hasSize(1);
        assertSignedBy(secret);
        assertThat(audited("subscription.rotate-secret"))
                .singleElement()
                .satisfies(entry ->
                        assertThat(entry.at("/detail/grace").asString()).isEqualTo("1h"));
        assertThat(audited("subscription.drop-secret"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.path("actor").asString()).isEqualTo("hub"));
        String seen = rest.get(path).text()
                + rest.get(path + "/revisions").text()
                + rest.get("/v1/audit").text()
                + rotate("{\"grace\": \"31d\"}").text();
        assertThat(seen).doesNotContain(secret, secret.substring(6), OLD);
    }

    @Test
    void aDayIsGivenUnlessSomethingElseIsAskedFor() {
        Answer answer = rest.post(path + "/rotate-secret");
        Instant until = Instant.parse(answer.json().path("formerSecretUntil").asString());
        assertThat(Duration.between(Instant.now(), until)).isBetween(Duration.ofHours(23), Duration.ofHours(25));
    }

    @Test
    void withoutAGraceTheNewOneSignsAlone() {
        Answer answer = rotate("{\"grace\": \"0s\"}");
        assertThat(answer.json().has("formerSecretUntil")).isFalse();
        assertThat(read().at("/sink/signingSecrets")).hasSize(1);
        assertSignedBy(answer.json().path("secret").asString());
    }

    /** Two that both look every second, and one that was stopped when the time was up. */
    @Test
    void itIsDroppedOnceHoweverManyHubsThereAreAndAfterARestart() {
        String secret = rotated("{\"grace\": \"1h\"}");
        JsonNode until = read().path("formerSecretUntil");
        hub.close();
        hub = TestHub.startOn(database, Map.of("posthorn.relay.instance", "one"));
        rest = hub.rest();
        assertThat(read().path("formerSecretUntil")).isEqualTo(until);
        try (TestHub other = TestHub.startOn(database, Map.of("posthorn.relay.instance", "other"))) {
            letTheGracePass();
            assertThat(droppedSecret().path("revision").asInt()).isEqualTo(3);
            SecretRotation[] both = {hub.bean(SecretRotation.class), other.bean(SecretRotation.class)};
            for (SecretRotation each : both) {
                each.runOnce();
            }
            assertThat(audited("subscription.drop-secret")).hasSize(1);
            assertThat(read().path("revision").asInt()).isEqualTo(3);
            await().atMost(60, SECONDS)
                    .until(() -> other.rest()
                            .get(path)
                            .json()
                            .path("state")
                            .asString()
                            .equals("active"));
            assertSignedBy(secret);
        }
    }

    @Test
    void aChangeMeanwhileDoesNotProlongIt() {
        rotated("{\"grace\": \"1h\"}");
        ObjectNode read = (ObjectNode) read();
        Answer changed = rest.put(path, read.put("description", "changed").toString());
        assertThat(changed.status()).as(changed.text()).isEqualTo(200);
        assertThat(changed.json().path("formerSecretUntil")).isEqualTo(read.path("formerSecretUntil"));
        letTheGracePass();
        assertThat(droppedSecret().path("description").asString()).isEqualTo("changed");
    }

    /** A subscription that was to sign would send without a signature. */
    @Test
    void whoeverGoesBackToTheFormerOneKeepsIt() {
        rotated("{\"grace\": \"1h\"}");
        ObjectNode read = (ObjectNode) read();
        String former = read.at("/sink/signingSecrets/1").asString();
        ((ObjectNode) read.path("sink")).putArray("signingSecrets").add(former);
        Answer back = rest.put(path, read.toString());
        assertThat(back.status()).as(back.text()).isEqualTo(200);
        assertThat(back.json().has("formerSecretUntil")).isFalse();
        hub.bean(SecretRotation.class).runOnce();
        assertSignedBy(OLD);
    }

    @Test
    void aFormerSecretIsNotCutShortByTheNextRotation() {
        rotated("{\"grace\": \"1h\"}");
        Answer refused = rotate("{\"grace\": \"1h\"}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("detail").asString()).contains("former secret", "PATCH", "0s");
        assertSignedBy(rotated("{\"grace\": \"0s\"}"));
        assertThat(read().has("formerSecretUntil")).isFalse();
    }

    @Test
    void aRotationCanBeMadeToDependOnTheRevision() {
        assertThat(rest.with("If-Match", "\"7\"")
                        .post(path + "/rotate-secret", "{}")
                        .status())
                .isEqualTo(412);
        assertThat(rest.with("If-Match", "\"1\"")
                        .post(path + "/rotate-secret", "{}")
                        .status())
                .isEqualTo(200);
        assertThat(rest.post("/v1/subscriptions/nobody/rotate-secret").status()).isEqualTo(404);
        Answer wrong = rotate("{\"grace\": \"31d\", \"graze\": 1}");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.text()).contains("did you mean grace?");
        assertThat(rotate("{\"grace\": \"31d\"}")
                        .json()
                        .at("/violations/0/field")
                        .asString())
                .isEqualTo("grace");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/\"}}",
                "{\"sink\": {\"kind\": \"kafka\", \"bootstrapServers\": \"127.0.0.1:9\"}}",
            })
    void whatDoesNotSignHasNothingToRotate(String document) {
        PatientCalls.delete(rest, name);
        assertThat(rest.put(path, document).status()).isEqualTo(201);
        Answer refused = rest.post(path + "/rotate-secret");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("detail").asString()).contains("does not sign", "signingSecrets");
    }
}
