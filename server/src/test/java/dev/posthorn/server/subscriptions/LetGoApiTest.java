package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.log.PartitionKeeper;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A subscription that keeps the log from being cut is told to let go. */
class LetGoApiTest {

    private static final String PATH = "/v1/subscriptions/away/let-go";

    private static final String DOCUMENT = """
            {"sink": {"kind": "http", "url": "http://127.0.0.1:9/"}, "whenUnavailable": "wait", "start": "beginning"}""";

    private final TestHub hub =
            TestHub.startOn(withASmallPartition(TestHub.emptyDatabase()), Map.of("posthorn.retention.log", "1ms"));
    private final TestClient rest = hub.rest();
    private final RetentionKeeper keeper = hub.bean(RetentionKeeper.class);

    @Test
    void whatHoldsTheLogBecomesDeadLettersAndNothingIsLost() {
        try (hub) {
            assertThat(rest.put("/v1/subscriptions/away", DOCUMENT).status()).isEqualTo(201);
            rest.post("/v1/subscriptions/away/pause");
            refused("{\"reason\": \"too early\"}", 409, "so there is nothing to let go of");
            assertThat(dryRun().path("events").asLong()).isZero();
            assertThat(dryRun().path("reason").stringValue()).contains("has settled every event");

            publish(
                    hub,
                    IntStream.range(0, 150)
                            .mapToObj(i -> event("order.placed", "k" + i))
                            .toList());
            await().atMost(60, SECONDS).until(this::isHeld);
            JsonNode counted = dryRun();
            assertThat(counted.path("below").asLong()).isEqualTo(101);
            assertThat(counted.path("events").asLong()).isEqualTo(100);
            assertThat(counted.path("exact").asBoolean()).isTrue();
            refused("{}", 400, "reason: is missing");
            assertThat(acts()).as("nothing was done so far").isEmpty();
            assertThat(deadLetters()).isZero();

            Answer done = rest.post(PATH, "{\"reason\": \"the receiver was retired\"}");
            assertThat(done.status()).as(done.text()).isEqualTo(202);
            assertThat(done.json().path("events").asLong()).isEqualTo(100);
            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(deadLetters()).isEqualTo(100));
            await().atMost(60, SECONDS).untilAsserted(() -> {
                assertThat(keeper.pass().holds()).isEmpty();
                assertThat(number("SELECT min(seq) FROM posthorn.event"))
                        .as("the log is cut")
                        .isEqualTo(101);
            });
            assertThat(rest.get("/dlt-messages?subscriberId=away&limit=1").text())
                    .contains("let go undelivered on request");

            JsonNode act = acts().path(0);
            assertThat(act.path("reason").stringValue()).isEqualTo("the receiver was retired");
            assertThat(act.path("count").asLong()).isEqualTo(100);
            assertThat(act.path("actor").stringValue()).isEqualTo("local");
        }
    }

    /** The first one, which is dropped; by hand, because an installation makes a large one. */
    private static String withASmallPartition(String database) {
        DataSource dataSource = TestHub.dataSource(database);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(new Schema(SchemaName.DEFAULT).script());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        new PartitionKeeper(dataSource, SchemaName.DEFAULT, 100).keep();
        return database;
    }

    private boolean isHeld() {
        return keeper.pass().holds().stream()
                .anyMatch(hold -> hold.subscription().equals("away"));
    }

    private JsonNode dryRun() {
        Answer answer = rest.post(PATH, "{\"dryRun\": true}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private void refused(String body, int status, String detail) {
        Answer answer = rest.post(PATH, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.text()).contains(detail);
    }

    private JsonNode acts() {
        return rest.get("/v1/audit?action=subscription.let-go").json().path("items");
    }

    private long deadLetters() {
        return number("SELECT count(*) FROM posthorn.dead_letter");
    }

    private long number(String sql) {
        return hub.bean(Database.class)
                .queries()
                .run(
                        "looking",
                        t -> t.list(sql, Map.of(), row -> row.getLong(1)).get(0));
    }

    @Test
    void aNameThatIsNoneIsToldSo() {
        try (hub) {
            Answer answer = rest.post("/v1/subscriptions/nobody/let-go", "{\"dryRun\": true}");
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.text()).contains("there is no subscription named 'nobody'");
        }
    }
}
