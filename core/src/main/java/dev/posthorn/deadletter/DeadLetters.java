package dev.posthorn.deadletter;

import dev.posthorn.error.Requests;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.EventRow;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.subscription.Attempt;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The events that subscriptions could not take. Only looks; {@link Commands} asks for something to be done. */
public final class DeadLetters {

    /** How far letters are counted. */
    public static final int MAX_COUNT = 100_000;

    private static final String LETTER = """
            l.id, s.name AS subscription, l.seq, l.event_id, l.source_id, l.source, l.type, l.aggregate_type, l.key,
            l.attempts, l.error_class, l.error_message, l.cause, l.first_failed_at, l.last_failed_at, l.holds_key,
            l.replays, l.discarded_at, l.discarded_by, l.discard_reason
            """;

    /** Each is found by its id before they are put in order, or the planner walks along that order to find them. */
    static final String READ = """
            WITH l AS MATERIALIZED (SELECT {columns} FROM posthorn.dead_letter l WHERE l.id = ANY (:ids::bigint[]))
            SELECT {letter} FROM l JOIN posthorn.subscription s ON s.id = l.subscription_id
             ORDER BY l.last_failed_at DESC, l.id DESC
            """.replace("{columns}", LETTER.replace("s.name AS subscription", "l.subscription_id"))
            .replace("{letter}", LETTER);

    /** Of one that is both in a replay and in a row of its own the replay is told. */
    private static final String REPLAYING = """
            SELECT i.replay_id FROM posthorn.dead_letter l
              JOIN posthorn.replay_item i
                ON i.subscription_id = l.subscription_id AND i.seq = l.seq AND i.state = 'PENDING'
             WHERE l.id = :id
            UNION ALL
            SELECT d.replay_id FROM posthorn.dead_letter l
              JOIN posthorn.delivery d ON d.seq = l.seq AND d.dead_letter_id = l.id
             WHERE l.id = :id
             LIMIT 1
            """;

    /** All letters of a page have to be of one moment, or one that fails again meanwhile could be missed. */
    private static final String ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

    /** Nor does a walk that stops begin with a sort. */
    static final String NO_SORTS = "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off";

    private static final String FIND_SUBSCRIPTION = "SELECT id FROM posthorn.subscription WHERE name = :name";

    private static final String GET = """
            SELECT {letter} FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id
             WHERE l.id = :id AND l.purged_at IS NULL
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
        return look("looking for dead letters", query, t -> {
            walkOnly(t);
            Walk walk = new Walk(t, query);
            List<Long> ids = walk.ids(query.pageSize() + 1);
            if (ids.size() > query.pageSize()) {
                List<DeadLetter> page = read(t, ids.subList(0, query.pageSize()));
                return new DeadLetterPage(
                        page, Position.of(page.get(page.size() - 1)).cursor());
            }
            return new DeadLetterPage(
                    read(t, ids), walk.isEnded() ? null : walk.place().cursor());
        });
    }

    /** How many letters there are in all, whatever the page: exact up to {@code atMost} as far as that is cheap. */
    public DeadLetterCount count(DeadLetterQuery query, int atMost) {
        Requests.between("atMost", atMost, 1, MAX_COUNT);
        return look("counting dead letters", query, t -> {
            walkOnly(t);
            return new Walk(t, query.fromTheBeginning()).count(atMost);
        });
    }

    /** The causes, the most frequent first: as many as the query's page size. Its cursor has no meaning here. */
    public DeadLetterGroups groups(DeadLetterQuery query) {
        return look("grouping dead letters", query, t -> Grouping.groups(t, query.fromTheBeginning()));
    }

    /**
     * How many letters of each group last failed in each of the last 24 hours, the oldest hour first; of a group that has very
     * many, the newest are counted.
     */
    public List<List<Long>> trends(List<DeadLetterGroup> groups) {
        return queries.run("counting dead letters by the hour", t -> Trend.of(t, groups));
    }

    private <T> T look(String what, DeadLetterQuery query, Queries.Work<T> work) {
        return queries.run(what, t -> {
            t.update(ONE_MOMENT, Map.of());
            requireSubscription(t, query);
            return work.run(t);
        });
    }

    /** From here on the transaction walks indexes, and stops, whatever the statistics say. */
    static void walkOnly(Queries.Transaction transaction) throws SQLException {
        transaction.walkingIndexes().update(NO_SORTS, Map.of());
    }

    private static List<DeadLetter> read(Queries.Transaction transaction, List<Long> ids) throws SQLException {
        return transaction.list(READ, Map.of("ids", ids.toArray(Long[]::new)), DeadLetters::letter);
    }

    /** A name that is misspelt must not look like a subscription without dead letters. */
    static void requireSubscription(Queries.Transaction transaction, DeadLetterQuery query) throws SQLException {
        String name = query.subscription();
        if (name != null) {
            subscriptionId(transaction, name);
        }
    }

    static long subscriptionId(Queries.Transaction transaction, String name) throws SQLException {
        return transaction
                .first(FIND_SUBSCRIPTION, Map.of("name", name), row -> row.getLong(1))
                .orElseThrow(() -> Requests.notFound(
                        "there is no subscription named '" + name + "'; check the spelling of subscription"));
    }

    /** A letter with its payload, headers and attempts. */
    public FullDeadLetter get(long id) {
        Map<String, Object> values = Map.of("id", id);
        return queries.run("reading a dead letter", t -> {
            DeadLetter letter = t.first(GET.replace("{letter}", LETTER), values, DeadLetters::letter)
                    .orElseThrow(() -> unknown(id));
            RecordedEvent event = t.first(EVENT.replace("{columns}", EventRow.COLUMNS), values, EventRow::read)
                    .orElseThrow(() -> unknown(id));
            Replaying replaying = replaying(t, id);
            List<Attempt> attempts = t.list(ATTEMPTS, values, Attempt::read);
            return new FullDeadLetter(letter, event, attempts, replaying.now(), replaying.replay());
        });
    }

    /** Whether a letter is being sent again, and by which replay if that is known. */
    record Replaying(boolean now, @Nullable Long replay) {}

    static Replaying replaying(Queries.Transaction transaction, long id) throws SQLException {
        return transaction
                .first(REPLAYING, Map.of("id", id), row -> new Replaying(true, row.getObject(1, Long.class)))
                .orElse(new Replaying(false, null));
    }

    static RuntimeException unknown(long id) {
        return Requests.notFound("there is no dead letter with id " + id
                + "; it may have been replayed with success, or purged. Look it up by its event id");
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
}
