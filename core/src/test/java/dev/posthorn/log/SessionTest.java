package dev.posthorn.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.SilentProxy;
import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the relay refuses to work, and what a session leaves behind. */
class SessionTest {

    private static final Sql ONE = Sql.of(SchemaName.DEFAULT, "SELECT 1");
    private static final Sql LOCK_CLUSTER = Sql.of(SchemaName.DEFAULT, "UPDATE posthorn.cluster SET era = era");

    @TempDir
    private Path directory;

    @Test
    void aTransactionThatStandsStillIsEndedByTheServer() {
        TestDatabase database = TestDatabase.create();
        try (Session session = new Session(database.dataSource(), SchemaName.DEFAULT)) {
            Sql show = Sql.of(SchemaName.DEFAULT, "SHOW idle_in_transaction_session_timeout");
            assertThat(session.<String>query("looking", show, Map.of(), row -> row.next() ? row.getString(1) : ""))
                    .isEqualTo("5s");
        }
    }

    @Test
    void aStandbyIsRefused() throws Exception {
        try (EmbeddedPostgres primary = EmbeddedPostgres.builder()
                .dataDirectory(directory.resolve("primary"))
                .start()) {
            new Schema(SchemaName.DEFAULT).install(primary.dataSource());
            primary.stop();
            copy(directory.resolve("primary"), directory.resolve("standby"));
        }
        Files.createFile(directory.resolve("standby/data/standby.signal"));
        try (EmbeddedPostgres standby = EmbeddedPostgres.builder()
                .dataDirectory(directory.resolve("standby"))
                .start()) {
            assertRefused(standby.dataSource(), ErrorCode.IN_RECOVERY, "connect the relay to the primary");
        }
    }

    @Test
    void anotherClusterIsRefused() {
        TestDatabase database = TestDatabase.create();
        database.execute("UPDATE posthorn.cluster SET system_identifier = 1");
        assertRefused(database.dataSource(), ErrorCode.CLUSTER_CHANGED, "Rebase");
    }

    @Test
    void aClusterWhoseTransactionsAreBehindTheMarksIsRefused() {
        TestDatabase database = TestDatabase.create();
        database.execute("INSERT INTO posthorn.subscription (name) VALUES ('s')");
        database.execute("INSERT INTO posthorn.lane (subscription_id, generation, index) VALUES (1, 1, 0)");
        database.execute("INSERT INTO posthorn.lane_mark (lane_id, a, b) VALUES (1, '10:10:', '99999999:99999999:')");
        assertRefused(database.dataSource(), ErrorCode.CLUSTER_CHANGED, "before it was reset");
    }

    @Test
    void plansDoNotDependOnStatistics() throws Exception {
        TestDatabase database = TestDatabase.create();
        Sql show = Sql.of(SchemaName.DEFAULT, "SHOW enable_seqscan");
        try (Session session = new Session(database.dataSource(), SchemaName.DEFAULT)) {
            String sequentialScans = session.query("asking", show, Map.of(), row -> {
                row.next();
                return row.getString(1);
            });
            assertThat(sequentialScans).isEqualTo("off");
        }
    }

    @Test
    void aConnectionIsGivenBackAsItCame() throws SQLException {
        TestDatabase database = TestDatabase.create();
        try (OneConnection pool = new OneConnection(database.dataSource())) {
            works(pool.dataSource());
            assertThat(pool.show("enable_seqscan")).isEqualTo("on");
            assertThat(pool.show("plan_cache_mode")).isEqualTo("auto");
            assertThat(pool.show("max_parallel_workers_per_gather")).isEqualTo("2");
        }
    }

    @Test
    void theBoundOnAnswersIsGivenBackAsItCame() throws SQLException {
        TestDatabase database = TestDatabase.create();
        try (OneConnection pool = new OneConnection(database.dataSource())) {
            pool.setNetworkTimeout(12_345);
            works(pool.dataSource());
            new Queries(pool.dataSource(), SchemaName.DEFAULT).run("asking", transaction -> 1);
            assertThat(pool.networkTimeout()).isEqualTo(12_345);
        }
    }

    @Test
    void aTransactionThatWasCutOffKeepsItsLocksForSecondsOnly() {
        TestDatabase database = TestDatabase.create();
        try (SilentProxy proxy = SilentProxy.to(database);
                Session session = session(proxy.dataSource(database))) {
            assertThatThrownBy(() -> session.transaction("settling", open -> {
                        session.prepare(open, LOCK_CLUSTER, Map.of()).executeUpdate();
                        proxy.fallSilent();
                        return session.prepare(open, LOCK_CLUSTER, Map.of()).executeUpdate();
                    }))
                    .hasMessageContaining("settling failed");
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
                return session.update("settling", LOCK_CLUSTER, Map.of()) == 1;
            });
        }
    }

    /** The server is slow, and would be for ever if each attempt were given up after the same time. */
    @Test
    void aSlowStatementIsGivenMoreTimeAtEachAttempt() {
        TestDatabase database = TestDatabase.create();
        Sql slow = Sql.of(SchemaName.DEFAULT, "SELECT pg_sleep(1.5)");
        try (Session session = session(database.dataSource()).patience(Duration.ofMillis(500))) {
            await().ignoreExceptions().atMost(Duration.ofSeconds(60)).until(() -> {
                return session.query("working", slow, Map.of(), rows -> rows.next());
            });
        }
    }

    /** More than the buffers take, to a host that takes nothing. */
    @Test
    void whoeverIsStuckInSendingIsCutOff() throws Exception {
        TestDatabase database = TestDatabase.create();
        Sql length = Sql.of(SchemaName.DEFAULT, "SELECT length(:text::text)");
        try (SilentProxy proxy = SilentProxy.to(database);
                Session session = session(proxy.dataSource(database))) {
            awaitAnswer(session);
            proxy.fallSilent();
            String large = "x".repeat(40_000_000);
            CompletableFuture<Object> stuck = CompletableFuture.supplyAsync(
                    () -> session.query("sending", length, Map.of("text", large), rows -> rows.next()));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                session.endIfStuck();
                return stuck.isCompletedExceptionally();
            });
            awaitAnswer(session);
        }
    }

    /** A server that is only slow may take longer than the patience of a second. */
    private static void awaitAnswer(Session session) {
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
            return session.query("asking", ONE, Map.of(), rows -> rows.next());
        });
    }

    private static Session session(DataSource dataSource) {
        return new Session(dataSource, SchemaName.DEFAULT).patience(Duration.ofSeconds(1));
    }

    private static void assertRefused(DataSource dataSource, ErrorCode code, String remedy) {
        assertThatThrownBy(() -> works(dataSource))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(remedy);
    }

    private static boolean works(DataSource dataSource) {
        try (Session session = new Session(dataSource, SchemaName.DEFAULT)) {
            return session.query("asking", ONE, Map.of(), rows -> rows.next());
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.copy(file, target, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }
}
