package dev.posthorn.server.subscriptions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.posthorn.event.Event;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.subscription.LoggingListener;
import dev.posthorn.testkit.Receiver;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** What is masked is seen by those who may, and by nobody else, wherever a receiver repeats it. */
class MaskedEventsTest {

    private static final String ADMIN = "an admin's key for the tests";
    private static final String EMAIL = "zo\u00eb@secret.example";
    private static final String CARD = "4111222233334444";
    private static final String CVV = "Q7Z";
    private static final List<String> SECRETS = List.of(EMAIL, "zo\\u00eb@secret", CARD, CVV);
    private static final String PAYLOAD = """
            {"customer": {"email": "zo\\u00eb@secret.example", "name": "Zoë"},
             "cards": [{"number": 4111222233334444, "cvv": "Q7Z"}], "total": 10.50E2, "note": null}""";
    private static final String MASKED = """
            {"customer": {"email": "•••", "name": "Zoë"},
             "cards": [{"number": "•••", "cvv": "•••"}], "total": 10.50E2, "note": null}""";

    private static final Recorder LOG = new Recorder();
    private static TestHub hub;
    private static TestClient admin;
    private static TestClient viewer;
    private static TestClient reader;

    private final Receiver receiver = Receiver.start();

    /** All that is logged, in full. */
    private static final class Recorder extends AppenderBase<ILoggingEvent> {

        private final List<String> lines = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage()
                    + (event.getThrowableProxy() == null
                            ? ""
                            : event.getThrowableProxy().getMessage()));
        }
    }

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.access.admin-key", ADMIN));
        admin = hub.rest().with("Authorization", "Bearer " + ADMIN);
        viewer = key("{\"name\": \"viewer\", \"role\": \"operator\"}");
        reader = key("{\"name\": \"reader\", \"role\": \"operator\", \"payload\": true}");
        assertThat(admin.put("/v1/event-types/masked", """
                {"masks": ["/customer/email", "/cards/*/number", "/cards/*/cvv"]}""").status()).isEqualTo(201);
        LOG.start();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(LOG);
        ((Logger) LoggerFactory.getLogger(LoggingListener.class)).setLevel(Level.DEBUG);
    }

    private static TestClient key(String document) {
        TestClient.Answer created = admin.post("/v1/keys", document);
        assertThat(created.status()).as(created.text()).isEqualTo(201);
        return hub.rest()
                .with("Authorization", "Bearer " + created.json().get("key").asString());
    }

    @AfterAll
    static void stop() {
        ((Logger) LoggerFactory.getLogger(LoggingListener.class)).setLevel(null);
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).detachAppender(LOG);
        hub.close();
    }

    @AfterEach
    void close() {
        receiver.close();
        admin.delete("/v1/subscriptions/crm");
        PatientCalls.awaitGone(admin, "crm");
        LOG.lines.clear();
    }

    private void subscribe(String type) {
        TestClient.Answer put = admin.put("/v1/subscriptions/crm", """
                {"timeout": "40s", "filter": {"types": ["%s"]}, "retry": {"maxAttempts": 2, "delays": ["100ms"]},
                 "sink": {"kind": "http", "url": "%s"}}
                """.formatted(type, receiver.url("/hook")));
        assertThat(put.status()).as(put.text()).isEqualTo(201);
    }

    private void echo(int status) {
        receiver.answering(request -> Receiver.Answer.of(
                status, "wrong: " + receiver.requests().get(0).text()));
    }

    private static UUID publish(String json) {
        return hub.record(
                Event.builder().source("shop").type("masked").json(json).build());
    }

    private static TestClient.Answer awaitStatus(UUID id, String status) {
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(viewer.get("/v1/events/" + id)
                                .json()
                                .path("status")
                                .asString(""))
                        .isEqualTo(status));
        return viewer.get("/v1/events/" + id);
    }

    private static void assertNothingLeaks(String text) {
        assertThat(text).doesNotContain(SECRETS).contains("•••");
    }

    /** What is settled is logged after it is stored. */
    private static void awaitLogged(String... parts) {
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(LOG.lines)
                        .anySatisfy(line -> assertThat(line).contains(parts)));
    }

    private static void assertNothingIsLogged() {
        assertThat(LOG.lines).allSatisfy(line -> assertThat(line).doesNotContain(SECRETS));
    }

    @Test
    void thePayloadAndEveryEchoOfItAreMasked() {
        subscribe("masked");
        echo(400);
        UUID id = publish(PAYLOAD);
        TestClient.Answer seen = awaitStatus(id, "FAILED");
        assertNothingLeaks(seen.text());
        assertThat(seen.text()).contains("\"data\":" + MASKED).doesNotContain("payloadHidden");
        JsonNode attempt = seen.json().get("subscriptions").get(0).get("made").get(0);
        assertThat(attempt.get("reply").asString()).contains("wrong: ", "\"email\": \"•••\"", "Zoë", "10.50E2");
        assertThat(attempt.get("message").asString()).contains("HTTP 400", "\"email\": \"•••\"");
        assertThat(viewer.get("/v1/events/" + id + "?payload=false").text()).doesNotContain(SECRETS);
        assertNothingLeaks(viewer.get("/v1/events?status=FAILED&type=masked").text());
        awaitLogged("DEAD LETTER", id.toString(), "•••");
        assertNothingIsLogged();
    }

    @Test
    void whoeverMaySeePayloadsSeesThemAndTheReplies() {
        subscribe("masked");
        echo(400);
        UUID id = publish(PAYLOAD);
        awaitStatus(id, "FAILED");
        for (TestClient trusted : List.of(reader, admin)) {
            TestClient.Answer seen = trusted.get("/v1/events/" + id);
            assertThat(seen.text()).contains("\"data\":" + PAYLOAD);
            JsonNode attempt =
                    seen.json().get("subscriptions").get(0).get("made").get(0);
            assertThat(attempt.get("reply").asString()).isEqualTo("wrong: " + PAYLOAD);
            assertThat(attempt.get("message").asString()).doesNotContain(SECRETS);
        }
    }

    @Test
    void whatIsStoredOfAFailureBesideTheReplyHoldsNoMaskedValue() {
        subscribe("masked");
        echo(500);
        awaitStatus(publish(PAYLOAD), "FAILED");
        List<String> stored = hub.bean(Database.class)
                .queries()
                .run("looking", t -> t.list("""
                        SELECT error_message || ' ' || cause AS text FROM posthorn.dead_letter
                        UNION ALL SELECT coalesce(message, '') FROM posthorn.attempt
                        UNION ALL SELECT g::text FROM posthorn.lane_gauge g
                        """, Map.of(), row -> String.valueOf(row.getString("text"))));
        assertThat(stored).isNotEmpty().allSatisfy(text -> assertThat(text).doesNotContain(SECRETS));
        awaitLogged("again in", "•••");
        assertNothingIsLogged();
    }

    @Test
    void aReceiverThatWantsNoMoreIsPausedWithoutItsEcho() {
        subscribe("masked");
        echo(410);
        publish(PAYLOAD);
        awaitLogged("is PAUSED", "•••");
        assertThat(viewer.get("/v1/status").text()).doesNotContain(SECRETS);
        assertThat(viewer.get("/v1/subscriptions/crm").text()).doesNotContain(SECRETS);
        assertNothingIsLogged();
    }

    @Test
    void aPayloadThatCannotBeReadIsNotShownAtAll() {
        subscribe("masked");
        echo(400);
        for (Event.Builder payload : List.of(
                Event.builder().json("{\"customer\": {\"email\": \"" + EMAIL + "\""),
                Event.builder().contentType("text/plain").payload(("mail " + EMAIL).getBytes(UTF_8)),
                Event.builder().contentType("application/x-protobuf").payload((CARD + CVV).getBytes(UTF_8)))) {
            UUID id = hub.record(
                    payload.source("shop").type("masked").header("tenant", "x").build());
            TestClient.Answer seen = awaitStatus(id, "FAILED");
            assertNothingLeaks(seen.text());
            assertThat(seen.json().get("payloadHidden").asBoolean()).isTrue();
            assertThat(seen.json().has("data")).isFalse();
            assertThat(seen.json().has("dataBase64")).isFalse();
            assertThat(seen.json().get("headers").get("tenant").asString()).isEqualTo("x");
            assertThat(seen.json().has("contentType")).isTrue();
            JsonNode known = reader.get("/v1/events/" + id).json();
            assertThat(known.get("dataBase64").asString()).isNotEmpty();
            assertThat(known.has("payloadHidden")).isFalse();
            assertThat(known.get("subscriptions").get(0).get("errorMessage").asString())
                    .contains("invalid", "code 400", "masked");
        }
        assertNothingIsLogged();
    }

    @Test
    void aTestAnswersWithoutWhatIsMasked() {
        subscribe("nothing");
        echo(422);
        String sample = "{\"type\": \"masked\", \"data\": " + PAYLOAD + "}";
        TestClient.Answer seen = viewer.post("/v1/subscriptions/crm/test", sample);
        assertThat(seen.json().get("reply").asString()).contains("wrong: ", "•••");
        assertNothingLeaks(seen.text());
        assertThat(reader.post("/v1/subscriptions/crm/test", sample)
                        .json()
                        .get("reply")
                        .asString())
                .contains(CARD, EMAIL);
    }

    @Test
    void anUnreachableReceiverIsToldInFull() {
        subscribe("masked");
        receiver.close();
        UUID id = hub.record(Event.builder()
                .source("shop")
                .type("masked")
                .contentType("text/plain")
                .payload(EMAIL.getBytes(UTF_8))
                .build());
        TestClient.Answer seen = awaitStatus(id, "FAILED");
        assertThat(seen.json().get("subscriptions").get(0).get("errorMessage").asString())
                .contains("refused");
    }

    @Test
    void aMaskThatComesLaterCoversOlderEventsOnceTheyAreShownOneByOne() {
        assertThat(admin.put("/v1/event-types/late", "{}").status()).isEqualTo(201);
        subscribe("late");
        echo(400);
        UUID id = hub.record(
                Event.builder().source("shop").type("late").json(PAYLOAD).build());
        assertThat(awaitStatus(id, "FAILED").text()).contains(CARD);
        admin.put("/v1/event-types/late", "{\"masks\": [\"/customer\", \"/cards\"]}");
        assertNothingLeaks(viewer.get("/v1/events/" + id).text());
        assertThat(reader.get("/v1/events/" + id).text()).contains(CARD);
    }
}
