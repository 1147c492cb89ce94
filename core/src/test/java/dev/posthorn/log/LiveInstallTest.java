package dev.posthorn.log;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.Outbox;
import dev.posthorn.TestDatabase;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An instance starts, and installs, while others are at work. */
class LiveInstallTest {

    private static final String TABLES = """
            SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
             WHERE relnamespace = 'posthorn'::regnamespace AND relkind IN ('r', 'p')
            """;

    private final TestDatabase database = TestDatabase.create();
    private final Schema schema = new Schema(SchemaName.DEFAULT);
    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    /** An EXCLUSIVE lock admits readers only, so whoever gets past it has taken no lock that anyone could wait for. */
    @Test
    void anInstallWithNothingToDoOnlyReads() throws Exception {
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("LOCK TABLE " + database.value(TABLES) + " IN EXCLUSIVE MODE");
            pool.submit(() -> schema.install(database.dataSource())).get(60, SECONDS);
        }
    }

    @Test
    void anInstallWithNothingToDoDoesNotStallWritersBehindALongTransaction() throws Exception {
        installWhileWritersRecord();
        assertThat(database.number("SELECT count(*) FROM posthorn.event_partition"))
                .isOne();
    }

    @Test
    void anInstallThatNeedsAPartitionDoesNotStallWritersBehindALongTransaction() throws Exception {
        database.execute("SELECT setval('posthorn.event_seq', 400000)");
        installWhileWritersRecord();
        // The long transaction's lock was in the way: the partition comes with the next pass.
        assertThat(database.number("SELECT count(*) FROM posthorn.event_partition"))
                .isOne();
        schema.install(database.dataSource());
        assertThat(database.number("SELECT count(*) FROM posthorn.event_partition"))
                .isEqualTo(2);
    }

    @Test
    void anUpgradeFromVersionOneDoesNotStallWriters() throws Exception {
        database.execute("DROP SCHEMA posthorn CASCADE");
        SchemaTest.firstFiles(1).install(database.dataSource());
        installWhileWritersRecord();
        schema.verify(database.dataSource());
    }

    private void installWhileWritersRecord() throws Exception {
        try (Connection longRunning = database.transaction();
                Statement statement = longRunning.createStatement()) {
            Outbox.create().record(longRunning, event());
            // As VACUUM, ANALYZE or CREATE INDEX CONCURRENTLY hold it.
            statement.execute("LOCK TABLE posthorn.event IN SHARE UPDATE EXCLUSIVE MODE");
            CountDownLatch writing = new CountDownLatch(3);
            CountDownLatch installed = new CountDownLatch(1);
            Future<?> writer = pool.submit(() -> {
                do {
                    recordWithinASecond();
                    writing.countDown();
                } while (installed.getCount() > 0);
                recordWithinASecond();
                return null;
            });
            assertThat(writing.await(60, SECONDS)).isTrue();
            schema.install(database.dataSource());
            installed.countDown();
            writer.get(60, SECONDS);
            longRunning.commit();
        }
    }

    private void recordWithinASecond() throws SQLException {
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '1s'");
            Outbox.create().record(connection, event());
            connection.commit();
        }
    }

    private static Event event() {
        return Event.builder().source("test").type("happened").json("{}").build();
    }
}
