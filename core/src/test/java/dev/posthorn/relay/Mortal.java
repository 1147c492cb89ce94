package dev.posthorn.relay;

import dev.posthorn.Outbox;
import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.log.Guards;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** A relay on a database whose server will be killed, where nothing reaches the disk but by a synchronous commit. */
final class Mortal {

    /** Too short for a settle of what was delivered, long enough for a poll. */
    static final Duration MOMENT = Duration.ofMillis(10);

    final TestDatabase database;
    final RecordingSink sink;

    /** Not the database's clock too: to set that one is a commit, after which nothing before it can be lost. */
    final SettableClock clock = SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"));

    Mortal(TestDatabase database, RecordingSink sink) {
        this.database = database;
        this.sink = sink;
    }

    /** Whoever asks for a page or a few of them would make the server write its WAL; here nobody does. */
    static EmbeddedPostgres.Builder server() {
        return EmbeddedPostgres.builder()
                .setting("wal_writer_delay", "10s")
                .setting("wal_writer_flush_after", "1GB")
                .setting("bgwriter_lru_maxpages", "0")
                .setting("autovacuum", "off")
                .setting("checkpoint_timeout", "1d")
                .setting("max_wal_size", "10GB");
    }

    /** One that has delivered an event and settled it in its last step. */
    SteppedRelay start(DataSource dataSource, Guards guards) {
        SteppedRelay relay = SteppedRelay.of(
                        Relay.builder(dataSource)
                                .instance("a")
                                .guards(guards)
                                .subscribe(
                                        Subscription.to("test", sink).lanes(1).build()),
                        clock)
                .pass();
        database.record("before");
        relay.run(2);
        return relay;
    }

    /** A step in which the lane takes answers and reads on, but does not settle. */
    void poll(SteppedRelay relay) {
        clock.advance(MOMENT);
        relay.step();
    }

    /** Transactions that took an id and came to nothing. */
    void rollBack(int times) throws SQLException {
        end(times, "ROLLBACK");
    }

    /** Transactions that took an id and did not record anything. */
    void commitNothing(int times) throws SQLException {
        end(times, "COMMIT");
    }

    private void end(int times, String how) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < times; i++) {
                statement.execute("BEGIN; SELECT pg_current_xact_id(); " + how);
            }
        }
    }

    /** Records each in a transaction that does not wait for the disk. */
    void recordWithoutWaiting(List<Event> events) throws SQLException {
        Outbox outbox = Outbox.builder().commitDurably(false).build();
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            for (Event event : events) {
                statement.execute("SET LOCAL synchronous_commit = off");
                outbox.record(connection, event);
                connection.commit();
            }
        }
    }

    static Event event(String key) {
        return Event.builder()
                .source("test")
                .type("test.happened")
                .key(key)
                .json("{}")
                .build();
    }

    /** Each of a key of its own, or a receiver would take them one after another. */
    static List<Event> events(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> event(name + "-" + i)).toList();
    }

    /** The id that the next transaction gets. */
    long nextTransaction() {
        return database.number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
    }

    String mark() {
        return database.value("SELECT concat_ws(' ', a, b, seq, turn) FROM posthorn.lane_mark");
    }

    /** The ids of everything that the sink was handed of these events. */
    List<UUID> received(String name) {
        return sink.received().stream()
                .filter(each -> String.valueOf(each.event().key()).startsWith(name))
                .map(each -> each.event().id())
                .toList();
    }

    /** Events that are said to be delivered and never were. */
    long wronglyDelivered(TestDatabase now) {
        String ids = String.join(
                ",",
                sink.received().stream()
                        .map(each -> "'" + each.event().id() + "'")
                        .toList());
        return now.number("SELECT count(*) FROM posthorn.event_status WHERE status = 'DELIVERED'"
                + " AND event_id NOT IN (" + ids + ")");
    }
}
