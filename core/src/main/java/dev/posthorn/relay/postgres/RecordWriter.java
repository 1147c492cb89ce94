package dev.posthorn.relay.postgres;

import dev.posthorn.log.EventRow;
import dev.posthorn.log.Session;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.sink.Cause;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Storable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the dead letter of an event of which the database refuses something, with as much of it as it takes. */
final class RecordWriter {

    /** How much of the event the letter has: so many of its texts. */
    enum Detail {
        FULL("all of the event", 8),
        SHORT("no payload and no headers", 6),
        BARE("nothing but the event's number, id, version and times", 0);

        private final String words;
        private final int texts;

        Detail(String words, int texts) {
            this.words = words;
            this.texts = texts;
        }

        String words() {
            return words;
        }

        private String in(String statement) {
            String filled = statement.replace("{incomplete}", String.valueOf(this != FULL));
            for (String column : TEXTS) {
                String instead = INSTEAD.getOrDefault(column, "NULL");
                filled = filled.replace("{" + column + "}", TEXTS.indexOf(column) < texts ? "e." + column : instead);
            }
            return filled;
        }
    }

    /** The columns of the event's own making, the largest last. */
    private static final List<String> TEXTS =
            List.of("source_id", "source", "type", "aggregate_type", "key", "content_type", "payload", "headers");

    /** For what may not be missing. */
    private static final Map<String, String> INSTEAD = Map.of(
            "source", "'unknown'",
            "type", "'unknown'",
            "content_type", "'application/octet-stream'",
            "payload", "''");

    /** The event may be gone from the log, if it is a dead letter that was sent again. */
    private static final String BURY = """
            INSERT INTO posthorn.dead_letter AS l
                   (subscription_id, txid, seq, event_id, source_id, source, type, version, aggregate_type, key,
                    content_type, payload, headers, occurred_at, recorded_at, deliver_at, attempts, error_class,
                    error_message, cause, first_failed_at, last_failed_at, holds_key, incomplete)
            SELECT :subscription, e.txid, e.seq, e.id, {source_id}, {source}, {type}, e.version, {aggregate_type}, {key},
                   {content_type}, {payload}, {headers}, e.occurred_at, e.created_at, e.deliver_at, :attempts, :error_class,
                   :error_message, :cause, posthorn.clock(), posthorn.clock(), :holds AND {key} IS NOT NULL, {incomplete}
              FROM (SELECT txid, {row} FROM posthorn.event WHERE seq = :seq
                    UNION ALL
                    SELECT txid, {row} FROM posthorn.kept_event WHERE seq = :seq
                    UNION ALL
                    SELECT txid, {letter_row} FROM posthorn.dead_letter WHERE subscription_id = :subscription AND seq = :seq
                    LIMIT 1) e
                ON CONFLICT (subscription_id, seq) DO UPDATE
                   SET attempts = excluded.attempts, error_class = excluded.error_class,
                       error_message = excluded.error_message, cause = excluded.cause,
                       last_failed_at = excluded.last_failed_at, discarded_at = NULL, purged_at = NULL,
                       holds_key = excluded.holds_key OR (l.holds_key AND l.discarded_at IS NULL)
            """.replace("{row}", EventRow.ROW).replace("{letter_row}", RowReader.LETTER_ROW);

    private static final String WRITTEN =
            """
            SELECT {columns}, holds_key FROM (
                SELECT {letter_row}, holds_key FROM posthorn.dead_letter
                 WHERE subscription_id = :subscription AND seq = :seq) l
            """.replace("{columns}", EventRow.COLUMNS).replace("{letter_row}", RowReader.LETTER_ROW);

    private final Statements statements;
    private final LaneGrant grant;

    RecordWriter(Session session, LaneGrant grant) {
        this.statements = new Statements(session);
        this.grant = grant;
    }

    /** Without a letter if the event is nowhere any more. */
    Settled.SetAside write(Connection connection, Refused event, Detail detail, Outcome.Failure failure)
            throws SQLException {
        String message = String.valueOf(Storable.text(failure.reason()));
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscription", grant.subscriptionId());
        values.put("seq", event.seq());
        values.put("attempts", event.attempts());
        values.put("error_class", failure.errorClass().label());
        values.put("error_message", message);
        values.put("cause", Cause.of(message));
        values.put("holds", event.holdsKey());
        statements.execute(connection, detail.in(BURY), values);
        return statements.query(connection, WRITTEN, values, row -> setAside(row, event, failure));
    }

    private static Settled.SetAside setAside(ResultSet row, Refused event, Outcome.Failure failure)
            throws SQLException {
        boolean found = row.next();
        return new Settled.SetAside(
                event.seq(),
                found ? EventRow.read(row) : null,
                event.attempts(),
                failure,
                found && row.getBoolean("holds_key"));
    }
}
