package dev.posthorn.server.events;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.Liveness;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Those who look, and those who choose much at once, take neither the publishers' connections nor their places. */
class BusySearchTest {

    private static final int PLACES = 16;
    private static final int CROWD = 3 * PLACES;

    private ExecutorService crowd;
    private TestHub hub;

    @BeforeEach
    void start() {
        crowd = Executors.newFixedThreadPool(CROWD);
        hub = TestHub.start(Map.of(
                "posthorn.limits.concurrent-requests",
                PLACES,
                "posthorn.database.pool-size",
                3,
                "posthorn.database.connect-timeout",
                "5s"));
        await().atMost(60, SECONDS).ignoreExceptions().until(this::allConnectionsAreThere);
    }

    /** Made by the first who need them, they could come later than a call waits for one. */
    private boolean allConnectionsAreThere() throws SQLException {
        Database database = hub.bean(Database.class);
        try (Connection look = database.looks().getConnection();
                Connection choice = database.choices().getConnection();
                Connection another = database.choices().getConnection()) {
            return look.isValid(30) && choice.isValid(30) && another.isValid(30);
        }
    }

    @AfterEach
    void stop() {
        crowd.shutdownNow();
        hub.close();
    }

    /** Every connection was a search's for as long as it took, and whoever published was told that there was no database. */
    @Test
    void searchesThatTakeForeverLeavePublishersServed() throws Exception {
        try (Connection connection = held("LOCK TABLE posthorn.dead_letter IN ACCESS EXCLUSIVE MODE")) {
            List<CompletableFuture<Answer>> searches = many(() -> hub.rest().get("/v1/dlt-messages"));
            publishes();
            List<Answer> answers =
                    searches.stream().map(CompletableFuture::join).toList();
            assertThat(answers).allSatisfy(each -> {
                assertThat(each.status()).as(each.text()).isEqualTo(503);
                assertThat(each.header("Retry-After")).isNotEmpty();
            });
            assertThat(answers)
                    .anySatisfy(each -> assertThat(each.text()).contains("longer than a call may", "from and to"));
            assertThat(answers).anySatisfy(each -> assertThat(each.text()).contains("1 searches are under way"));
            connection.rollback();
        }
        assertThat(hub.rest().get("/v1/dlt-messages").status()).isEqualTo(200);
    }

    /** One is started at a time; each of those that waited for it had a connection meanwhile. */
    @Test
    void replaysThatWaitForEachOtherLeavePublishersServed() throws Exception {
        try (Connection connection = held("SELECT pg_advisory_xact_lock(hashtextextended('replay \"posthorn\"', 0))")) {
            List<CompletableFuture<Answer>> starts = many(() -> hub.rest().post("/v1/replay", "{\"filter\": {}}"));
            await().atMost(60, SECONDS).until(() -> waitingForTheLock() >= 2);
            publishes();
            await().atMost(60, SECONDS).until(() -> answersSoFar(starts).anyMatch(each -> each.contains("try again")));
            assertThat(hub.rest().get("/v1/replay").status()).isEqualTo(200);
            connection.rollback();
        }
    }

    /** A call that was given up went on in the server. */
    @Test
    void everyStatementHasALimitInTheServer() throws SQLException {
        Database database = hub.bean(Database.class);
        assertThat(limit(database.calls())).isEqualTo("110s");
        assertThat(limit(database.looks())).isEqualTo("10s");
        assertThat(limit(database.choices())).isEqualTo("110s");
    }

    private static String limit(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW statement_timeout")) {
            row.next();
            return row.getString(1);
        }
    }

    private int waitingForTheLock() throws SQLException {
        try (Connection connection = hub.bean(Database.class).direct().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                                + " AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")) {
            row.next();
            return row.getInt(1);
        }
    }

    private Connection held(String lock) throws SQLException {
        Connection connection = hub.bean(Database.class).direct().getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(lock);
        }
        return connection;
    }

    private List<CompletableFuture<Answer>> many(Supplier<Answer> call) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(CROWD);
        List<CompletableFuture<Answer>> calls = IntStream.range(0, CROWD)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> {
                            begun.countDown();
                            return call.get();
                        },
                        crowd))
                .toList();
        begun.await();
        return calls;
    }

    /** Without those that wait for the lock: no answer of theirs comes while it is held. */
    private static Stream<String> answersSoFar(List<CompletableFuture<Answer>> calls) {
        return calls.stream()
                .filter(CompletableFuture::isDone)
                .map(call -> call.join().text());
    }

    private void publishes() {
        Liveness.assertAnswers(hub);
        for (int i = 0; i < 20; i++) {
            Answer published = hub.rest().post("/v1/events", "{\"source\": \"s\", \"type\": \"t\", \"data\": 1}");
            assertThat(published.status()).as(published.text()).isEqualTo(202);
        }
    }
}
