package dev.posthorn.benchmarks.replay;

import dev.posthorn.benchmarks.testbed.Database;
import java.sql.SQLException;

/** Dead letters of events that a subscription has long had: what a replay finds after an outage. */
final class DeadLetters {

    private static final String MAKE = """
            INSERT INTO posthorn.dead_letter
                   (subscription_id, txid, seq, event_id, source_id, source, type, version, aggregate_type, key,
                    content_type, payload, headers, occurred_at, recorded_at, deliver_at,
                    attempts, error_class, error_message, cause, first_failed_at, last_failed_at, holds_key)
            SELECT s.id, e.txid, e.seq, e.id, e.source_id, e.source, e.type, e.version, e.aggregate_type, e.key,
                   e.content_type, e.payload, e.headers, e.occurred_at, e.created_at, e.deliver_at,
                   5, 'connection', 'Connection refused', 'Connection refused', e.created_at, clock_timestamp(), false
              FROM posthorn.event e JOIN posthorn.subscription s ON s.name = ?
             ORDER BY e.seq LIMIT ?
            RETURNING 1
            """;

    private static final String COUNTED = "WITH made AS (" + MAKE + ") SELECT count(*) FROM made";

    private DeadLetters() {}

    /** Makes them of the oldest events in the log, and leaves the database as if that were some time ago. */
    static void make(Database database, String subscription, int count) throws SQLException {
        database.execute("TRUNCATE posthorn.attempt");
        long made = database.number(COUNTED, subscription, count);
        if (made != count) {
            throw new IllegalStateException(made + " dead letters could be made of " + count + "; is the log empty?");
        }
        database.comeToRest();
    }
}
