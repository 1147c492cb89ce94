package dev.posthorn.relay.retention;

import dev.posthorn.log.Queries;
import dev.posthorn.log.Session;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The retention keeper's statements about the log.
 *
 * <p>A partition is settled by numbers of transactions, never by its own: somebody who drew one of its seqs long ago may
 * commit only now. Each partition has the id of a transaction that began after its last seq was drawn, and once that id
 * is below the xmin of a lane's snapshot, everything in the partition had ended in that snapshot. So no lane can be
 * in the middle of a partition that is dropped, nor come back to it: it reads from its mark on, and the mark is beyond.
 */
final class RetentionStore {

    /** One keeper at a time, and none that waits: whoever waits for the log lets all writers queue behind. */
    private static final String BEGIN = "SET LOCAL lock_timeout = '200ms'";

    private static final String TRY_LOCK =
            "SELECT pg_try_advisory_xact_lock(hashtextextended('retention ' || :schema, 0))";

    private static final String LAST_SEQ =
            "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM posthorn.event_seq";

    /**
     * A statement of its own after the look at the sequence: this transaction must not have its id before it knows that
     * the range is passed, or a writer with a higher one could still draw from it.
     */
    private static final String STAMP_PASSED = """
            UPDATE posthorn.event_partition
               SET passed_xid = pg_current_xact_id(), passed_era = (SELECT era FROM posthorn.cluster),
                   passed_at = posthorn.clock()
             WHERE passed_at IS NULL AND to_seq <= :last_seq + 1
            """;

    private static final String IS_OLD = "p.passed_at <= posthorn.clock() - :age * interval '1 millisecond'";

    /**
     * Whether all of partition p is settled by mark m. Transaction ids of an earlier era say nothing; its events are in the
     * lane's first window of this one.
     */
    private static final String IS_SETTLED = """
            CASE WHEN p.passed_era = c.era
                 THEN p.passed_xid < pg_snapshot_xmin(m.a)
                      OR (p.passed_xid < pg_snapshot_xmin(m.b) AND m.seq >= p.to_seq - 1)
                 ELSE m.a::text <> '1:1:' OR m.seq >= p.to_seq - 1 END
            """;

    /** As long as such a transaction runs, no lane can have settled the partition, however well it works. */
    private static final String IS_OPEN =
            "p.passed_era = c.era AND p.passed_xid >= pg_snapshot_xmin(pg_current_snapshot())";

    private static final String NEXT = """
            SELECT p.from_seq, p.to_seq, {age} AS age
              FROM posthorn.event_partition p CROSS JOIN posthorn.cluster c
             WHERE {is_old} AND NOT EXISTS (SELECT FROM posthorn.mark m WHERE NOT ({is_settled}))
               AND NOT EXISTS (SELECT FROM posthorn.replay_item i
                                WHERE i.seq >= p.from_seq AND i.seq < p.to_seq
                                  AND i.state = 'PENDING' AND i.dead_letter_id IS NULL)
             ORDER BY p.from_seq LIMIT 1
            """;

    private static final String LOCK_PARTITION = "SELECT posthorn.lock_partition(:from_seq)";

    private static final String DROP = "SELECT posthorn.drop_partition(:from_seq)";

    /** All lanes are looked at once, and only of those that hold something it is asked whose they are. */
    private static final String HOLDS = """
            SELECT s.name, max({age}) AS age, sum(p.to_seq - p.from_seq) AS events, max(p.to_seq) AS to_seq
              FROM (SELECT DISTINCT p.from_seq, p.to_seq, p.passed_at, n.subscription_id
                      FROM posthorn.event_partition p CROSS JOIN posthorn.cluster c
                      JOIN posthorn.lane_effective m ON NOT ({is_settled})
                      JOIN posthorn.lane n ON n.id = m.lane_id
                     WHERE {is_old} AND NOT ({is_open})) p
             CROSS JOIN LATERAL (SELECT name FROM posthorn.subscription WHERE id = p.subscription_id OFFSET 0) s
             GROUP BY s.name ORDER BY s.name
            """;

    private static final String OPEN_TRANSACTION = """
            SELECT pg_snapshot_xmin(pg_current_snapshot())::text FROM posthorn.event_partition p CROSS JOIN posthorn.cluster c
             WHERE {is_old} AND {is_open} LIMIT 1
            """;

    private static final String AGE = "(extract(epoch FROM posthorn.clock() - p.passed_at) * 1000)::bigint";

    private static final String LET_GO = """
            UPDATE posthorn.subscription SET let_go_seq = greatest(let_go_seq, :seq) WHERE name = :name
            RETURNING let_go_seq
            """;

    /** How many events are counted that would be let go of. */
    private static final int COUNTED = 100_000;

    /** What has a row is kept for it when the log is cut. */
    private static final String COUNT_UNSETTLED = """
            SELECT count(*) FROM (
                SELECT FROM posthorn.event_status v
                 WHERE v.subscription = :name AND v.seq < :seq AND v.status IN ('PENDING', 'SENDING')
                   AND NOT EXISTS (SELECT FROM posthorn.delivery d JOIN posthorn.lane n ON n.id = d.lane_id
                                     JOIN posthorn.subscription s ON s.id = n.subscription_id
                                    WHERE d.seq = v.seq AND s.name = :name)
                 LIMIT :most::bigint + 1) unsettled
            """;

    private static final String SUBSCRIPTION_EXISTS =
            "SELECT EXISTS (SELECT FROM posthorn.subscription WHERE name = :name)";

    private final Session session;
    private final Map<String, Sql> statements = new HashMap<>();

    RetentionStore(Session session) {
        this.session = session;
    }

    /** What a subscription keeps the log from forgetting. */
    record Held(String subscription, Duration age, long events, long toSeq) {}

    /** Notes which partitions the sequence has passed. Tells whether this keeper is the one at work. */
    boolean stampPassed() {
        return locked("looking for full partitions", connection -> {
                    long last = number(connection, LAST_SEQ, Map.of());
                    execute(connection, STAMP_PASSED, Map.of("last_seq", last));
                    return Optional.of(true);
                })
                .isPresent();
    }

    /**
     * Drops the oldest partition that is due, if there is one and no other keeper is at work. Looks again once the log is
     * locked: whoever has read it meanwhile, to freeze a replay or as a new subscription, has committed what says so.
     */
    Optional<RetentionKeeper.Dropped> dropNext(Duration age) {
        return locked("dropping a partition", connection -> {
            Optional<RetentionKeeper.Dropped> next = next(connection, age);
            if (next.isEmpty()) {
                return next;
            }
            Map<String, Long> partition = Map.of("from_seq", next.get().fromSeq());
            long kept = number(connection, LOCK_PARTITION, partition);
            if (!isStillDue(connection, age, next.get())) {
                connection.rollback();
                return Optional.empty();
            }
            long keptAll = kept + number(connection, DROP, partition);
            return next.map(dropped -> dropped.keeping(keptAll));
        });
    }

    private boolean isStillDue(Connection connection, Duration age, RetentionKeeper.Dropped partition)
            throws SQLException {
        return next(connection, age)
                .filter(due -> due.fromSeq() == partition.fromSeq())
                .isPresent();
    }

    private Optional<RetentionKeeper.Dropped> next(Connection connection, Duration age) throws SQLException {
        try (ResultSet row = session.prepare(connection, sql(NEXT), age(age)).executeQuery()) {
            return row.next()
                    ? Optional.of(new RetentionKeeper.Dropped(
                            row.getLong("from_seq"), row.getLong("to_seq"), Duration.ofMillis(row.getLong("age")), 0))
                    : Optional.empty();
        }
    }

    List<Held> holds(Duration age) {
        return session.query("looking for who holds retention", sql(HOLDS), age(age), rows -> {
            List<Held> holds = new ArrayList<>();
            while (rows.next()) {
                holds.add(new Held(
                        rows.getString("name"),
                        Duration.ofMillis(rows.getLong("age")),
                        rows.getLong("events"),
                        rows.getLong("to_seq")));
            }
            return holds;
        });
    }

    /** The id of a transaction that has been open since before an old partition was full, if there is one. */
    Optional<String> openTransaction(Duration age) {
        return session.query(
                "looking for who holds retention",
                sql(OPEN_TRANSACTION),
                age(age),
                row -> row.next() ? Optional.of(row.getString(1)) : Optional.empty());
    }

    /** Deletes one batch and tells how many rows that were; empty if another keeper is at work. */
    Optional<Long> delete(Leftovers.Kind kind) {
        return locked(
                "deleting old " + kind.what(),
                connection -> Optional.of(number(connection, kind.delete(), kind.values())));
    }

    boolean subscriptionExists(String name) {
        return session.query(
                "looking for a subscription",
                sql(SUBSCRIPTION_EXISTS),
                Map.of("name", name),
                row -> row.next() && row.getBoolean(1));
    }

    /** What the subscription would let go of. */
    LetGo.Below unsettled(Held held) {
        Map<String, Object> values = Map.of("name", held.subscription(), "seq", held.toSeq(), "most", COUNTED);
        long events = session.query("counting unsettled events", sql(COUNT_UNSETTLED), values, row -> {
            row.next();
            return row.getLong(1);
        });
        return new LetGo.Below(held.toSeq(), Math.min(events, COUNTED), events <= COUNTED);
    }

    /** In the transaction of whoever writes it down. Tells how far it lets go; nothing if there is no such subscription. */
    static Optional<Long> letGo(Queries.Transaction transaction, String name, long seq) throws SQLException {
        return transaction.first(LET_GO, Map.of("name", name, "seq", seq), row -> row.getLong("let_go_seq"));
    }

    /** Empty, without having done anything, if another keeper is at work. */
    private <T> Optional<T> locked(String what, Session.Work<Optional<T>> work) {
        return session.transaction(what, connection -> {
            execute(connection, BEGIN, Map.of());
            return isLocked(connection) ? work.run(connection) : Optional.empty();
        });
    }

    private boolean isLocked(Connection connection) throws SQLException {
        Map<String, String> values = Map.of("schema", session.schema().name());
        try (ResultSet row = session.prepare(connection, sql(TRY_LOCK), values).executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    private void execute(Connection connection, String text, Map<String, ?> values) throws SQLException {
        session.prepare(connection, sql(text), values).execute();
    }

    private long number(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        try (ResultSet row = session.prepare(connection, sql(text), values).executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private Sql sql(String text) {
        return statements.computeIfAbsent(
                text,
                t -> Sql.of(
                        session.schema(),
                        t.replace("{is_old}", IS_OLD)
                                .replace("{is_open}", IS_OPEN)
                                .replace("{is_settled}", IS_SETTLED)
                                .replace("{age}", AGE)));
    }

    private static Map<String, Long> age(Duration age) {
        return Map.of("age", age.toMillis());
    }
}
