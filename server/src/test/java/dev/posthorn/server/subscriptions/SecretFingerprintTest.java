package dev.posthorn.server.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import dev.posthorn.webhook.Signature;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A masked secret says which one it is, so that it can be kept wherever it then stands. */
@ExtendWith(SharedHub.class)
class SecretFingerprintTest {

    private static final String PATH = "/v1/subscriptions/marked";
    private static final String GUARD = "/v1/guards/marked";
    private static final String FORM = "\\*{8}[0-9a-f]{8}";
    private static final String OLD = Signature.newSecret();
    private static final String NEW = Signature.newSecret();

    private static final JsonMapper JSON = JsonMapper.builder().build();

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
        rest.delete(PATH);
        PatientCalls.awaitGone(rest, "marked");
        rest.delete(GUARD);
    }

    private String sink(String more) {
        return "{\"timeout\": \"40s\", \"sink\": {\"kind\": \"http\", \"url\": \"%s\", %s}}"
                .formatted(receiver.url("/hook"), more);
    }

    private static JsonNode put(String document) {
        Answer answer = rest.put(PATH, document);
        assertThat(answer.status()).as(answer.text()).isIn(200, 201);
        return answer.json();
    }

    private JsonNode putSigned(String... secrets) {
        return put(signed(secrets));
    }

    private String signed(String... secrets) {
        return sink("\"signingSecrets\": [\"" + String.join("\", \"", secrets) + "\"]");
    }

    private static List<String> masks(JsonNode answer) {
        List<String> masks = new ArrayList<>();
        answer.at("/sink/signingSecrets").forEach(each -> masks.add(each.asString()));
        assertThat(masks).allSatisfy(mask -> assertThat(mask).matches(FORM));
        return masks;
    }

    private static void assertRefused(Answer answer, String field, String... rule) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.json().at("/violations/0/field").asString()).isEqualTo(field);
        assertThat(answer.json().at("/violations/0/rule").asString()).contains(rule);
    }

    /** In this order, and by no others. */
    private void assertSignedBy(String... secrets) {
        Request sample = sample();
        String expected = Signature.of(List.of(secrets))
                .of(sample.header("webhook-id"), Long.parseLong(sample.header("webhook-timestamp")), sample.body());
        assertThat(sample.header("webhook-signature")).isEqualTo(expected);
    }

    private Request sample() {
        Answer tested = rest.post(PATH + "/test");
        assertThat(tested.json().path("outcome").asString()).as(tested.text()).isEqualTo("delivered");
        return receiver.requests().get(receiver.count() - 1);
    }

    @Test
    void aRotationTakesNoSecretThatNobodyCanRead() {
        String old = masks(putSigned(OLD)).get(0);
        JsonNode both = putSigned(NEW, old);
        assertThat(masks(both)).hasSize(2).endsWith(old).doesNotHaveDuplicates();
        assertSignedBy(NEW, OLD);
        putSigned(masks(both).get(0));
        assertSignedBy(NEW);
    }

    @Test
    void theOrderOfAListIsChanged() {
        List<String> masks = masks(putSigned(NEW, OLD));
        putSigned(masks.get(1), masks.get(0));
        assertSignedBy(OLD, NEW);
        assertThat(masks(rest.get(PATH).json())).containsExactly(masks.get(1), masks.get(0));
    }

    @Test
    void starsAloneStandForWhatTheyCanOnlyMean() {
        putSigned(OLD);
        putSigned(NEW, "********");
        assertSignedBy(NEW, OLD);
        List<String> masks = masks(rest.get(PATH).json());
        putSigned("********", "********");
        assertSignedBy(NEW, OLD);
        putSigned("********", masks.get(0));
        assertSignedBy(OLD, NEW);
        putSigned(OLD);
        assertRefused(rest.put(PATH, signed("********", "********")), "sink.signingSecrets[1]", "none is stored here");
        put(sink("\"headers\": {\"x-a\": \"first\", \"x-b\": \"second\"}"));
        assertRefused(
                rest.put(PATH, sink("\"headers\": {\"x-c\": \"********\"}")), "sink.headers.x-c", "any of 2", "GET");
        put(sink("\"headers\": {\"x-a\": \"********\", \"x-c\": \"********\"}"));
        assertThat(sample().header("x-c")).isEqualTo("second");
    }

    @Test
    void aFingerprintThatNoSecretHasIsRefused() {
        String old = masks(putSigned(OLD)).get(0);
        for (String wrong : List.of("********00000000", "********whatever", old + " ", old.substring(0, 12))) {
            Answer refused = rest.put(PATH, signed(wrong));
            assertRefused(refused, "sink.signingSecrets[0]", "as GET shows it", "give the secret itself");
            assertThat(refused.text()).as("it may be a secret").doesNotContain("whatever");
        }
        putSigned(NEW);
        assertRefused(rest.put(PATH, signed(old)), "sink.signingSecrets[0]", "fingerprint");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/sink/auth/password | \"auth\": {\"kind\": \"basic\", \"username\": \"u\", \"password\": \"%s\"}",
                "/sink/auth/token | \"auth\": {\"kind\": \"bearer\", \"token\": \"%s\"}",
                "/sink/auth/value | \"auth\": {\"kind\": \"api-key\", \"header\": \"x-k\", \"value\": \"%s\"}",
                "/sink/auth/clientSecret | \"auth\": {\"kind\": \"oauth2\", \"tokenUrl\": \"http://127.0.0.1:9/\", \"clientId\": \"c\", \"clientSecret\": \"%s\"}",
                "/sink/auth/secret | \"auth\": {\"kind\": \"jwt\", \"algorithm\": \"HS256\", \"secret\": \"%s\"}",
                "/sink/headers/x-h | \"headers\": {\"x-h\": \"%s\"}",
            })
    void everyKindOfSecretIsKeptByItsMask(String place, String setting) {
        String secret = "s3cret-of-at-least-thirty-two-bytes";
        assertKept(place, sink(setting.formatted(secret)), sink(setting.formatted("another" + secret)));
    }

    @Test
    void aPropertyOfKafkaToo() {
        String document = """
                {"sink": {"kind": "kafka", "bootstrapServers": "127.0.0.1:9", "settings": {
                 "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.jaas.config":
                 "org.apache.kafka.common.security.scram.ScramLoginModule required username=a password=%s;"}}}
                """;
        assertKept("/sink/settings/sasl.jaas.config", document.formatted("b"), document.formatted("c"));
    }

    private static void assertKept(String place, String document, String other) {
        String mask = put(document).at(place).asString();
        assertThat(mask).matches(FORM);
        ObjectNode read = (ObjectNode) rest.get(PATH).json();
        JsonNode changed = put(read.put("description", "changed").toString());
        assertThat(changed.at(place).asString()).isEqualTo(mask);
        ObjectNode given = (ObjectNode) JSON.readTree(document);
        JsonNode same = put(given.put("description", "changed").toString());
        assertThat(same.path("revision")).as("the secret was kept").isEqualTo(changed.path("revision"));
        assertThat(put(other).at(place).asString()).matches(FORM).isNotEqualTo(mask);
        assertThat(put(document).at(place).asString())
                .as("nobody finds a weak secret by trying which one has its fingerprint")
                .isNotEqualTo(mask);
    }

    @Test
    void aSecretFollowsItsMaskToAnotherHeader() {
        JsonNode bearer = put(sink("\"auth\": {\"kind\": \"bearer\", \"token\": \"the-token\"}"));
        String mask = bearer.at("/sink/auth/token").asString();
        put(sink("\"auth\": {\"kind\": \"api-key\", \"header\": \"x-key\", \"value\": \"%s\"}".formatted(mask)));
        assertThat(sample().header("x-key")).isEqualTo("the-token");
        put(sink("\"headers\": {\"x-one\": \"%1$s\", \"x-two\": \"%1$s\"}".formatted(mask)));
        assertThat(sample().header("x-two")).isEqualTo("the-token");
    }

    /** Whoever may change a subscription could otherwise have a key sent that never leaves the hub. */
    @Test
    void butNotToWhereItIsUsedInAnotherWay() {
        String mask = masks(putSigned(OLD)).get(0);
        assertRefused(
                rest.put(PATH, sink("\"headers\": {\"x-key\": \"%s\"}".formatted(mask))),
                "sink.headers.x-key",
                "signingSecrets[0]",
                "another way");
        assertRefused(
                rest.put(PATH, sink("\"headers\": {\"x-key\": \"********\"}")),
                "sink.headers.x-key",
                "none is stored here");
    }

    @Test
    void theMasksOfAGuardSayWhichOneTooAndAreItsOwn() {
        String document = "{\"url\": \"%s\", \"headers\": {\"%s\": \"%s\"}}";
        Answer made = rest.put(GUARD, document.formatted(receiver.url("/hook?t=qu3ry"), "x-a", "s3cret"));
        String mask = made.json().at("/headers/x-a").asString();
        assertThat(mask).matches(FORM);
        String masked = made.json().path("url").asString();
        assertThat(masked).matches(".*/hook\\?" + FORM);
        Answer moved = rest.put(GUARD, document.formatted(masked, "x-b", mask));
        assertThat(moved.status()).as(moved.text()).isEqualTo(200);
        rest.post("/v1/guard/marked", "{\"id\": \"g-1\", \"source\": \"s\", \"type\": \"t\", \"data\": 1}");
        Request forwarded = receiver.requests().get(0);
        assertThat(forwarded.header("x-b")).isEqualTo("s3cret");
        assertThat(forwarded.uri().getQuery()).isEqualTo("t=qu3ry");
        assertRefused(
                rest.put(GUARD, document.formatted(masked, "x-b", "********00000000")), "headers.x-b", "fingerprint");
        assertThat(put(sink("\"headers\": {\"x-a\": \"s3cret\"}"))
                        .at("/sink/headers/x-a")
                        .asString())
                .as("the same secret elsewhere")
                .isNotEqualTo(mask);
    }

    /** As an older version stored it. */
    @Test
    void whatHasNoFingerprintYetIsKeptInItsPlace() {
        putSigned(NEW, OLD);
        hub.bean(Database.class)
                .queries()
                .run(
                        "going back",
                        t -> t.update(
                                "UPDATE posthorn.hub_subscription SET document = "
                                        + "regexp_replace(document, '(\\*{8})[0-9a-f]{8}', '\\1', 'g') WHERE name = 'marked'",
                                Map.of()));
        ObjectNode read = (ObjectNode) rest.get(PATH).json();
        assertThat(read.at("/sink/signingSecrets").toString()).isEqualTo("[\"********\",\"********\"]");
        masks(put(read.put("description", "changed").toString()));
        assertSignedBy(NEW, OLD);
    }
}
