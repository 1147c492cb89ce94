package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.documents.SecretPlaces;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.testkit.Receiver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Secrets of subscriptions: where they are, and where they are not. */
class SecretsTest {

    private static final String KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    private static final String OTHER = "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
    private static final String TOKEN = "t0ken-that-nobody-may-read";
    private static final String HEADER = "header-that-nobody-may-read";
    private static final String PASSWORD = "passw0rd-that-nobody-may-read";
    private static final String SIGNING = "whsec_bm9ib2R5LW1heS1yZWFkLXRoaXMtc2VjcmV0LWVpdGhlcg==";

    private static final String HTTP = """
            {"filter": {"types": ["a"]}, "timeout": "%s",
             "sink": {"kind": "http", "url": "%s", "auth": {"kind": "bearer", "token": "%s"},
                      "headers": {"x-key": "%s"}, "signingSecrets": ["%s"]}}
            """;
    private static final String KAFKA = """
            {"filter": {"types": ["b"]}, "timeout": "1s",
             "sink": {"kind": "kafka", "bootstrapServers": "127.0.0.1:9",
                      "settings": {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN",
                                   "sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required username=a password=%s;"}}}
            """;

    /** Everything that is logged, from everybody. */
    private static final class Log extends AppenderBase<ILoggingEvent> implements AutoCloseable {

        private final List<String> lines = new CopyOnWriteArrayList<>();
        private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        private final Logger ours = (Logger) LoggerFactory.getLogger("dev.posthorn");
        private final Level before = ours.getLevel();

        Log() {
            setContext(root.getLoggerContext());
            start();
            root.addAppender(this);
            ours.setLevel(Level.TRACE);
        }

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage() + event.getThrowableProxy());
        }

        @Override
        public void close() {
            root.detachAppender(this);
            ours.setLevel(before);
        }
    }

    @Test
    void secretsAreNowhereToBeRead() {
        try (TestHub hub = TestHub.start();
                Receiver receiver = Receiver.start();
                Log log = new Log()) {
            TestClient rest = hub.rest();
            StringBuilder answers = new StringBuilder();
            answers.append(put(rest, "http", HTTP.formatted("1s", receiver.url("/"), TOKEN, HEADER, SIGNING)));
            answers.append(put(rest, "http", HTTP.formatted("2s", receiver.url("/"), TOKEN, HEADER, SIGNING)));
            answers.append(put(rest, "kafka", KAFKA.formatted(PASSWORD)));
            // Refused, each for another reason that may be tempted to quote what it was given.
            for (String bad : List.of(
                    HTTP.formatted("1s", "http://10.0.0.1/", TOKEN, HEADER, SIGNING),
                    HTTP.formatted("1s", receiver.url("/"), TOKEN + " ", HEADER, SIGNING),
                    HTTP.formatted("1s", receiver.url("/"), TOKEN, HEADER + "\\n", SIGNING),
                    HTTP.formatted("1s", receiver.url("/"), TOKEN, HEADER, SIGNING.replace("whsec_", "")),
                    HTTP.formatted(
                            "1s", receiver.url("/"), TOKEN, HEADER, SIGNING + "\", \"" + SIGNING + "\", \"" + SIGNING),
                    HTTP.formatted("1s", receiver.url("/"), TOKEN, HEADER, SIGNING)
                            .replace("\"" + TOKEN, TOKEN),
                    HTTP.formatted("1s", receiver.url("/"), TOKEN, HEADER, SIGNING)
                            .replace("\"token\"", "\"tokens\""),
                    KAFKA.formatted(PASSWORD).replace("required", ""),
                    KAFKA.formatted(PASSWORD).replace("\"sasl.mechanism\": \"PLAIN\"", "\"sasl.mechanism\": 5"))) {
                answers.append(rest.put("/v1/subscriptions/bad", bad).text());
            }
            receiver.answering(
                    request -> Receiver.Answer.of(400, request.header("Authorization") + request.header("x-key")));
            answers.append(rest.post("/v1/subscriptions/http/test").text());
            answers.append(rest.post("/v1/subscriptions/kafka/test").text());
            publish(hub, "a", "b");
            await().atMost(60, SECONDS).until(() -> hasDeadLetter(hub));
            for (String path : List.of("", "/http", "/kafka", "/http/revisions", "/kafka/revisions")) {
                answers.append(rest.get("/v1/subscriptions" + path).text());
            }
            String everything = answers + everyRow(hub) + String.join("\n", log.lines);
            assertThat(everything).contains(SecretPlaces.MASK);
            assertThat(log.lines).as("what is logged is looked at").isNotEmpty();
            assertThat(everything).doesNotContain(TOKEN, HEADER, PASSWORD, SIGNING, SIGNING.substring(6));
        }
    }

    private static boolean hasDeadLetter(TestHub hub) {
        String letters = "SELECT id FROM posthorn.dead_letter";
        return hub.bean(Database.class)
                .queries()
                .run(
                        "looking for dead letters",
                        t -> t.first(letters, Map.of(), row -> true).isPresent());
    }

    private static String put(TestClient rest, String name, String document) {
        TestClient.Answer answer = rest.put("/v1/subscriptions/" + name, document);
        assertThat(answer.status()).as(answer.text()).isBetween(200, 201);
        return answer.text();
    }

    /** All rows of all tables, as text; bytes as Latin-1 text, so that what is not encrypted would be seen. */
    private static String everyRow(TestHub hub) {
        return hub.bean(Database.class).queries().run("reading everything", t -> {
            StringBuilder all = new StringBuilder();
            String tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'posthorn'";
            for (String table : t.list(tables, Map.of(), row -> row.getString(1))) {
                String rows = "SELECT row_to_json(r)::text FROM posthorn." + table + " r";
                t.list(rows, Map.of(), row -> row.getString(1))
                        .forEach(row -> all.append(row).append('\n'));
            }
            String secrets =
                    "SELECT encode(secrets, 'escape') FROM posthorn.hub_subscription WHERE secrets IS NOT NULL";
            t.list(secrets, Map.of(), row -> row.getString(1)).forEach(all::append);
            return all.toString();
        });
    }

    @Test
    void aKeyIsRotatedAndTheFormerOneIsNotNeededAfterwards() {
        String database = TestHub.newDatabase();
        try (Receiver receiver = Receiver.start()) {
            try (TestHub hub = TestHub.startOn(database, Map.of("posthorn.secrets.key", KEY))) {
                put(hub.rest(), "rotated", HTTP.formatted("1s", receiver.url("/"), TOKEN, HEADER, SIGNING));
            }
            try (TestHub hub = TestHub.startOn(
                    database, Map.of("posthorn.secrets.key", OTHER, "posthorn.secrets.former-keys", KEY))) {
                await().atMost(60, SECONDS).until(() -> !keyIds(hub).contains(keyIdOf(KEY)));
                assertThat(state(hub, "rotated")).isEqualTo("active");
            }
            try (TestHub hub = TestHub.startOn(database, Map.of("posthorn.secrets.key", OTHER))) {
                publish(hub, "a");
                await().atMost(60, SECONDS).until(() -> !receiver.requests().isEmpty());
                assertThat(receiver.requests().get(0).header("Authorization")).isEqualTo("Bearer " + TOKEN);
                assertThat(hub.rest()
                                .get("/v1/subscriptions/rotated")
                                .json()
                                .path("revision")
                                .asInt())
                        .isOne();
            }
        }
    }

    private static List<String> keyIds(TestHub hub) {
        return hub.bean(Database.class)
                .queries()
                .run(
                        "reading key ids",
                        t -> t.list("SELECT key_id FROM posthorn.hub_subscription", Map.of(), row -> row.getString(1)));
    }

    private static String keyIdOf(String key) {
        return Vault.open(new HubSettings.Secrets(key, List.of()), null)
                .encrypt("", "")
                .keyId();
    }

    private static String state(TestHub hub, String name) {
        return hub.rest().get("/v1/subscriptions/" + name).json().path("state").stringValue();
    }

    @Test
    void withoutItsKeyASubscriptionIsLockedAndTheOthersGoOn() {
        String database = TestHub.newDatabase();
        try (Receiver receiver = Receiver.start()) {
            String open = "{\"filter\": {\"types\": [\"a\"]}, \"sink\": {\"kind\": \"http\", \"url\": \"%s\"}}"
                    .formatted(receiver.url("/open"));
            String locked = HTTP.formatted("1s", receiver.url("/locked"), TOKEN, HEADER, SIGNING);
            try (TestHub hub = TestHub.startOn(database, Map.of())) {
                put(hub.rest(), "locked", locked);
                put(hub.rest(), "open", open);
            }
            try (TestHub hub = TestHub.startOn(database, Map.of("posthorn.secrets.key", OTHER))) {
                JsonNode answer = hub.rest().get("/v1/subscriptions/locked").json();
                assertThat(answer.path("state").stringValue()).isEqualTo("locked");
                assertThat(answer.path("reason").stringValue()).contains("posthorn.secrets.former-keys");
                assertThat(hub.rest().post("/v1/subscriptions/locked/test").status())
                        .isEqualTo(409);
                assertThat(hub.rest()
                                .put("/v1/subscriptions/locked", locked.replace(TOKEN, SecretPlaces.MASK))
                                .status())
                        .isEqualTo(400);
                publish(hub, "a");
                await().atMost(60, SECONDS).until(() -> !receiver.types("/open").isEmpty());
                assertThat(receiver.types("/locked")).isEmpty();
                assertThat(put(hub.rest(), "locked", locked)).contains("\"active\"");
                await().atMost(60, SECONDS)
                        .until(() -> !receiver.types("/locked").isEmpty());
            }
        }
    }

    @Test
    void withoutAnyKeyTheHubStartsAndTakesWhatHasNoSecrets() {
        try (TestHub hub = TestHub.start(Map.of("posthorn.secrets.key", ""))) {
            String plain = "{\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/\"}}";
            put(hub.rest(), "plain", plain);
            TestClient.Answer refused = hub.rest()
                    .put(
                            "/v1/subscriptions/secret",
                            HTTP.formatted("1s", "http://127.0.0.1:9/", TOKEN, HEADER, SIGNING));
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.text()).contains("posthorn.secrets.key").contains("sink.auth.token");
            assertThat(hub.rest().get("/v1/subscriptions/secret").status()).isEqualTo(404);
        }
    }

    @Test
    void aDestinationThatIsNoLongerAllowedMakesASubscriptionInvalid() {
        String database = TestHub.newDatabase();
        try (TestHub hub = TestHub.startOn(database, Map.of())) {
            put(hub.rest(), "local", "{\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/\"}}");
        }
        try (TestHub hub = TestHub.startOn(database, Map.of("posthorn.destinations.allow-loopback", "false"))) {
            JsonNode answer = hub.rest().get("/v1/subscriptions/local").json();
            assertThat(answer.path("state").stringValue()).isEqualTo("invalid");
            assertThat(answer.path("reason").stringValue()).contains("posthorn.destinations.allow-loopback");
        }
    }
}
