package dev.posthorn.relay;

import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.TestDatabase;
import dev.posthorn.event.Event;
import dev.posthorn.log.Guards;
import dev.posthorn.log.PartitionKeeper;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.testing.SettableClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/** A log of small partitions, with lanes whose marks are set by hand. */
final class RetentionDatabase {

    static final Duration WEEK = Duration.ofDays(7);
    static final Retention A_WEEK = new Retention(WEEK, WEEK, WEEK, WEEK, Duration.ofMinutes(1));

    final TestDatabase database;
    final SettableClock clock;
    final PartitionKeeper partitions;

    RetentionDatabase() {
        this(TestDatabase.createEmpty());
    }

    private RetentionDatabase(TestDatabase empty) {
        database = empty;
        // By hand, because install() would make a first partition of the default size.
        database.execute(new Schema(SchemaName.DEFAULT).script());
        clock = SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
        partitions = new PartitionKeeper(database.dataSource(), SchemaName.DEFAULT, 100);
        partitions.keep();
    }

    static RetentionDatabase onOldest() {
        return new RetentionDatabase(TestDatabase.createEmptyOnOldest());
    }

    RetentionKeeper keeper() {
        return keeper(A_WEEK, Guards.ALL);
    }

    RetentionKeeper keeper(Retention retention, Guards guards) {
        return new RetentionKeeper(
                database.dataSource(), SchemaName.DEFAULT, retention, new LoggingListener(), clock, guards);
    }

    /** Makes the partition 1-101 full, and a pass note it. */
    void fillTheFirst() {
        sequenceAt(100);
        partitions.keep();
        keeper().pass();
    }

    void sequenceAt(long seq) {
        database.execute("SELECT setval('posthorn.event_seq', " + seq + ")");
    }

    String ranges() {
        return database.value("SELECT coalesce(string_agg(from_seq || '-' || to_seq, ' ' ORDER BY from_seq), '')"
                + " FROM posthorn.event_partition");
    }

    long count(String table) {
        return database.number("SELECT count(*) FROM posthorn." + table);
    }

    /** A lane of a subscription of its own, that has settled nothing yet. */
    long lane(String subscription) {
        return database.number("""
                WITH s AS (INSERT INTO posthorn.subscription (name) VALUES ('%s') RETURNING id),
                     n AS (INSERT INTO posthorn.lane (subscription_id, generation, index) SELECT id, 1, 0 FROM s RETURNING id),
                     m AS (INSERT INTO posthorn.lane_mark (lane_id, a, b) SELECT id, '1:1:', pg_current_snapshot() FROM n)
                SELECT id FROM n
                """.formatted(subscription));
    }

    /** The lane has settled everything there is. */
    void settle(long lane) {
        awaitThatAllHaveEnded();
        move(lane, "a = pg_current_snapshot(), b = pg_current_snapshot(), seq = 0");
    }

    void move(long lane, String mark) {
        database.execute("UPDATE posthorn.lane_mark SET " + mark + " WHERE lane_id = " + lane);
    }

    /** PostgreSQL itself may have a transaction going, such as an automatic ANALYZE. */
    void awaitThatAllHaveEnded() {
        await().until(() -> database.number("SELECT count(*) FROM posthorn.event_partition"
                        + " WHERE passed_xid >= pg_snapshot_xmin(pg_current_snapshot())")
                == 0);
    }

    void deliveryRow(long lane, long seq) {
        database.execute("INSERT INTO posthorn.delivery (lane_id, seq, event_id, state, due_at)" + " VALUES (" + lane
                + ", " + seq + ", gen_random_uuid(), 'WAITING', posthorn.clock())");
    }

    static void record(Connection connection, String payload) throws SQLException {
        Outbox.create()
                .record(
                        connection,
                        Event.builder()
                                .source("test")
                                .type("test.happened")
                                .json(payload)
                                .build());
    }

    void record(String payload) {
        try (Connection connection = database.transaction()) {
            record(connection, payload);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
