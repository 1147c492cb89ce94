package dev.posthorn.deadletter;

import dev.posthorn.error.Requests;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.EventRow;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Attempt;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The events that subscriptions could not take. Only looks; {@link Commands} asks for something to be done. */
public final class DeadLetters {

    private static final String LETTER = """
            l.id, s.name AS subscription, l.seq, l.event_id, l.source_id, l.source, l.type, l.aggregate_type, l.key,
            l.attempts, l.error_class, l.error_message, l.cause, l.first_failed_at, l.last_failed_at, l.holds_key,
            l.replays, l.discarded_at, l.discarded_by, l.discard_reason
            """;

    /** One more than the page holds, to know whether there is another. */
    private static final String FIND = """
            SELECT {letter} FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id
             WHERE {condition} {after}
             ORDER BY l.last_failed_at DESC, l.id DESC LIMIT :page_size::bigint + 1
            """;

    private static final String AFTER = "AND (l.last_failed_at, l.id) < (:after_time::timestamptz, :after_id)";

    private static final String GET = """
            SELECT {letter} FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id
             WHERE l.id = :id
            """;

    private static final String EVENT = """
            SELECT {columns} FROM (
                SELECT seq, event_id AS id, source_id, source, type, version, aggregate_type, key, content_type, payload,
                       headers, occurred_at, recorded_at AS created_at, deliver_at
                  FROM posthorn.dead_letter WHERE id = :id) e
            """;

    private static final String ATTEMPTS = """
            SELECT t.number, t.started_at, t.took_ms, t.outcome, t.error_class, t.message, t.reply_code, t.reply,
                   t.instance
              FROM posthorn.attempt t
              JOIN posthorn.dead_letter l ON l.subscription_id = t.subscription_id AND l.seq = t.seq
             WHERE l.id = :id ORDER BY t.started_at, t.number
            """;

    private static final String GROUPS = """
            SELECT s.name AS subscription, g.*, sample.error_message AS sample_message
              FROM (SELECT l.subscription_id, l.error_class, l.cause, count(*) AS count,
                           min(l.first_failed_at) AS first_seen, max(l.last_failed_at) AS last_seen,
                           (array_agg(DISTINCT l.type))[1:5] AS types, max(l.id) AS sample_id
                      FROM posthorn.dead_letter l WHERE {condition}
                     GROUP BY l.subscription_id, l.error_class, l.cause) g
              JOIN posthorn.subscription s ON s.id = g.subscription_id
              JOIN posthorn.dead_letter sample ON sample.id = g.sample_id
             ORDER BY g.count DESC, g.last_seen DESC, s.name, g.error_class, g.cause LIMIT :page_size
            """;

    private final Queries queries;

    public DeadLetters(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /**
     * A page of letters, newest failure first. Letters that arrive meanwhile come before the first page, so that the
     * next pages neither repeat nor miss any that was there from the beginning; one that fails again meanwhile moves to
     * the front.
     */
    public DeadLetterPage find(DeadLetterQuery query) {
        Map<String, Object> values = values(query);
        Position after = query.after();
        if (after != null) {
            values.put("after_time", after.lastFailedAt());
            values.put("after_id", after.id());
        }
        String find = statement(query);
        List<DeadLetter> found =
                queries.run("looking for dead letters", t -> t.list(find, values, DeadLetters::letter));
        if (found.size() <= query.pageSize()) {
            return new DeadLetterPage(found, null);
        }
        List<DeadLetter> page = found.subList(0, query.pageSize());
        return new DeadLetterPage(page, Position.of(page.get(page.size() - 1)).cursor());
    }

    /** The statement for a query. */
    static String statement(DeadLetterQuery query) {
        return FIND.replace("{letter}", LETTER)
                .replace("{condition}", query.condition())
                .replace("{after}", query.after() == null ? "" : AFTER);
    }

    /** A letter with its payload, headers and attempts. */
    public FullDeadLetter get(long id) {
        Map<String, Object> values = Map.of("id", id);
        return queries.run("reading a dead letter", t -> {
            DeadLetter letter = t.first(GET.replace("{letter}", LETTER), values, DeadLetters::letter)
                    .orElseThrow(() -> unknown(id));
            RecordedEvent event = t.first(EVENT.replace("{columns}", EventRow.COLUMNS), values, EventRow::read)
                    .orElseThrow(() -> unknown(id));
            return new FullDeadLetter(letter, event, t.list(ATTEMPTS, values, Attempt::read));
        });
    }

    /** The causes, the most frequent first: as many as the query's page size. Its cursor has no meaning here. */
    public List<DeadLetterGroup> groups(DeadLetterQuery query) {
        String groups = GROUPS.replace("{condition}", query.condition());
        return queries.run("grouping dead letters", t -> t.list(groups, values(query), DeadLetters::group));
    }

    static RuntimeException unknown(long id) {
        return Requests.notFound("there is no dead letter with id " + id
                + "; it may have been replayed with success. Look it up by its event id");
    }

    private static Map<String, Object> values(DeadLetterQuery query) {
        Map<String, Object> values = new HashMap<>(query.values());
        values.put("page_size", query.pageSize());
        return values;
    }

    private static DeadLetter letter(ResultSet row) throws SQLException {
        return new DeadLetter(
                row.getLong("id"),
                row.getString("subscription"),
                row.getLong("seq"),
                row.getObject("event_id", UUID.class),
                row.getString("source_id"),
                row.getString("source"),
                row.getString("type"),
                row.getString("aggregate_type"),
                row.getString("key"),
                row.getInt("attempts"),
                row.getString("error_class"),
                row.getString("error_message"),
                row.getString("cause"),
                Queries.time(row, "first_failed_at"),
                Queries.time(row, "last_failed_at"),
                row.getBoolean("holds_key"),
                row.getInt("replays"),
                discard(row));
    }

    private static DeadLetter.@Nullable Discard discard(ResultSet row) throws SQLException {
        Instant at = Queries.timeOrNull(row, "discarded_at");
        return at == null
                ? null
                : new DeadLetter.Discard(
                        at,
                        Objects.requireNonNullElse(row.getString("discarded_by"), ""),
                        Objects.requireNonNullElse(row.getString("discard_reason"), ""));
    }

    private static DeadLetterGroup group(ResultSet row) throws SQLException {
        return new DeadLetterGroup(
                row.getString("subscription"),
                row.getString("error_class"),
                row.getString("cause"),
                row.getLong("count"),
                Queries.time(row, "first_seen"),
                Queries.time(row, "last_seen"),
                List.of((String[]) row.getArray("types").getArray()),
                row.getLong("sample_id"),
                row.getString("sample_message"));
    }
}
