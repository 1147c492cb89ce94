package dev.posthorn.faults.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Events in the log and dead letters of them. Events of one type count 1, 2, 3 … for each key. */
final class Letters {

    static final int KEYS = 500;
    private static final int BATCH = 1_000;

    /** So many of a key in a row, or a lane that has some at hand would have no two of one key to confuse. */
    private static final int IN_A_ROW = 3;

    /** As if the subscription had tried each of them five times. */
    private static final String BURY = """
            INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source_id, source, type, version,
                aggregate_type, key, content_type, payload, headers, occurred_at, recorded_at, deliver_at, attempts,
                error_class, error_message, cause, first_failed_at, last_failed_at, holds_key)
            SELECT s.id, e.txid, e.seq, e.id, e.source_id, e.source, e.type, e.version, e.aggregate_type, e.key,
                   e.content_type, e.payload, e.headers, e.occurred_at, e.created_at, e.deliver_at, 5, 'HTTP 503', 'busy',
                   'busy', posthorn.clock(), posthorn.clock(), false
              FROM posthorn.event e CROSS JOIN posthorn.subscription s
             WHERE s.name = ? AND e.type = ANY (?) ORDER BY e.seq
            """;

    private static final String RECORDED = "SELECT id, payload FROM posthorn.event WHERE type = ? ORDER BY seq";

    private static final String LEFT = "SELECT event_id, payload FROM posthorn.dead_letter WHERE type = ? ORDER BY seq";

    private final Database database;

    Letters(Database database) {
        this.database = database;
    }

    static Event event(String type, int number) {
        int row = number / IN_A_ROW;
        String key = "aggregate-" + row % KEYS;
        int counter = row / KEYS * IN_A_ROW + number % IN_A_ROW + 1;
        return Event.builder()
                .source("faults")
                .type(type)
                .key(key)
                .payload((key + " " + counter).getBytes(UTF_8))
                .build();
    }

    void record(String type, int events) throws SQLException {
        Outbox outbox = Outbox.create();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int from = 0; from < events; from += BATCH) {
                List<Event> batch = new ArrayList<>();
                for (int i = from; i < Math.min(from + BATCH, events); i++) {
                    batch.add(event(type, i));
                }
                outbox.record(connection, batch);
                connection.commit();
            }
        }
    }

    void bury(String... types) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement bury = connection.prepareStatement(BURY)) {
            bury.setString(1, ReplayingRelay.SUBSCRIPTION);
            bury.setArray(2, connection.createArrayOf("text", types));
            bury.executeUpdate();
        }
        database.execute("ANALYZE posthorn.dead_letter");
    }

    List<Change> recorded(String type) throws SQLException {
        return Change.read(database.dataSource(), RECORDED, type);
    }

    /** What is a dead letter still. */
    List<Change> left(String type) throws SQLException {
        return Change.read(database.dataSource(), LEFT, type);
    }
}
