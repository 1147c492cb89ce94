package dev.posthorn.relay.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.TestDatabase;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.log.DirectConnections;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.relay.retention.Retention;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testkit.PgBouncer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Behind a pooler that gives a connection another server for each transaction, what a session sets comes to others. */
class PgBouncerTest {

    private static final Subscription SUBSCRIPTION =
            Subscription.to("test", RecordingSink.oneAtATime()).build();

    /** Whatever a session of the relay, or the driver for it, sets. */
    private static final String SETTINGS = """
            SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings
             WHERE name IN ('enable_seqscan', 'enable_bitmapscan', 'max_parallel_workers_per_gather', 'plan_cache_mode',
                            'jit', 'idle_in_transaction_session_timeout', 'default_transaction_isolation',
                            'synchronous_commit', 'lock_timeout')
            """;

    /** The server that was freed last comes first, or they come in turn. */
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "2, 1", "5, 0", "5, 1"})
    void whoeverKeepsSessionsIsRefusedAndLeavesNothingBehind(int servers, int inTurn) throws Exception {
        TestDatabase database = TestDatabase.create();
        String untouched = database.value(SETTINGS);
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", servers, "server_round_robin = " + inTurn)) {
            DataSource pooled = pooler.dataSource();
            warmUp(pooled, servers);
            refused(() -> Relay.builder(pooled).subscribe(SUBSCRIPTION).start().close());
            refused(() -> new Subscriptions(pooled, SchemaName.DEFAULT).register(SUBSCRIPTION));
            refused(() -> new RetentionKeeper(pooled, SchemaName.DEFAULT, Retention.defaults()).pass());
            assertThat(settingsOfAll(pooled, servers)).hasSize(servers).containsOnly(untouched);
        }
    }

    /** Others take the servers in between. */
    @ParameterizedTest
    @CsvSource({"2, 0", "5, 0", "5, 1", "20, 0"})
    void itIsSeenInAPoolThatIsInUse(int servers, int inTurn) throws Exception {
        TestDatabase database = TestDatabase.create();
        ExecutorService others = Executors.newFixedThreadPool(6);
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch asked = new CountDownLatch(6);
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", servers, "server_round_robin = " + inTurn)) {
            warmUp(pooler.dataSource(), servers);
            for (int i = 0; i < 6; i++) {
                others.execute(() -> keepAsking(pooler.dataSource(), stop, asked));
            }
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 20; i++) {
                refused(() -> new DirectConnections(pooler.dataSource()).require());
            }
            stop.set(true);
            others.shutdown();
            assertThat(others.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            stop.set(true);
            others.shutdown();
        }
    }

    private static void keepAsking(DataSource dataSource, AtomicBoolean stop, CountDownLatch asked) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            while (!stop.get()) {
                statement.execute("SELECT 1");
                asked.countDown();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aDataSourceThatBeginsTransactionsByItselfIsSeenThroughToo() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", 5)) {
            warmUp(pooler.dataSource(), 5);
            refused(() -> Relay.builder(withoutAutoCommit(pooler.dataSource()))
                    .subscribe(SUBSCRIPTION)
                    .start()
                    .close());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void recordingAndTheInboxWorkAndLeaveNothingBehind(int servers) throws Exception {
        TestDatabase database = TestDatabase.create();
        database.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", servers)) {
            DataSource pooled = pooler.dataSource();
            String untouched = settingsOfAll(pooled, 1).get(0);
            for (int i = 0; i < 20; i++) {
                record(pooled, "key-" + i % 3);
                UUID id = UUID.randomUUID();
                assertThat(once(pooled, id)).isTrue();
                assertThat(once(pooled, id)).isFalse();
            }
            assertThat(database.number("SELECT count(*) FROM posthorn.event")).isEqualTo(20);
            assertThat(settingsOfAll(pooled, servers)).containsOnly(untouched);
        }
    }

    @Test
    void inSessionModeARelayWorks() throws Exception {
        TestDatabase database = TestDatabase.create();
        RecordingSink sink = RecordingSink.oneAtATime();
        try (PgBouncer pooler = PgBouncer.start(database, "session", 10);
                Relay relay = Relay.builder(pooler.dataSource())
                        .subscribe(Subscription.to("test", sink).build())
                        .start()) {
            database.record("key");
            relay.wake();
            await().atMost(Duration.ofSeconds(60)).until(() -> sink.received().size() == 1);
        }
    }

    private static void refused(Runnable start) {
        assertThatThrownBy(start::run)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
                .hasMessageContaining("a URL that leads directly to PostgreSQL");
    }

    private static void record(DataSource dataSource, String key) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.create()
                    .record(
                            connection,
                            Event.builder()
                                    .source("test")
                                    .type("test.happened")
                                    .key(key)
                                    .json("{}")
                                    .build());
            connection.commit();
        }
    }

    private static boolean once(DataSource dataSource, UUID id) {
        return !Inbox.create()
                .once(dataSource, "test", id, connection -> "done")
                .isDuplicate();
    }

    /** All servers are there, as in a pool that is in use. */
    private static void warmUp(DataSource dataSource, int servers) throws SQLException {
        settingsOfAll(dataSource, servers);
    }

    /** What a client finds at each server, as many at once as there are servers. */
    private static List<String> settingsOfAll(DataSource dataSource, int servers) throws SQLException {
        List<Connection> open = new ArrayList<>();
        List<String> found = new ArrayList<>();
        try {
            for (int i = 0; i < servers; i++) {
                Connection connection = dataSource.getConnection();
                open.add(connection);
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery(SETTINGS)) {
                    row.next();
                    found.add(row.getString(1));
                }
            }
            return found;
        } finally {
            for (Connection connection : open) {
                connection.rollback();
                connection.close();
            }
        }
    }

    private static DataSource withoutAutoCommit(DataSource dataSource) {
        return (DataSource) Proxy.newProxyInstance(
                PgBouncerTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> {
                    Connection connection = dataSource.getConnection();
                    connection.setAutoCommit(false);
                    return connection;
                });
    }
}
