package dev.posthorn.relay.postgres;

import dev.posthorn.log.EventRow;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.StartAt;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A subscription's generations: stretches of its life with one filter and one number of lanes. Another one is wanted by
 * a row without a start. Then all lanes finish their windows and stand still; a common snapshot is set, up to which they
 * read on; and when all are there, one transaction ends the generation and begins the next at that snapshot. Until then
 * the wish can be replaced or withdrawn, whatever the lanes have done for it.
 *
 * <p>Each step is taken by whichever instance comes by first. While the subscription is paused none is taken, and the
 * change stays pending: its lanes do not read, so they could not reach a common snapshot.
 */
public final class Generations {

    private static final String MAKE_FIRST = """
            INSERT INTO posthorn.generation
                   (subscription_id, number, lanes, types, aggregate_types, sources, headers, era, start_a, start_b,
                    since)
            SELECT :subscription, :generation, :lanes, :types::text[], :aggregate_types::text[], :sources::text[],
                   :headers::jsonb, era,
                   coalesce(:a::pg_snapshot, pg_current_snapshot()), pg_current_snapshot(), :since::timestamptz
              FROM posthorn.cluster
            """;

    /**
     * One snapshot for all lanes: that of their generation. The past counts as read: the mark, not the seq, says of these
     * events which are settled. Not up to the sequence's value, which may be beyond: after a move a number that no event
     * had here may be given to one there.
     */
    private static final String MAKE_LANES = """
            WITH begun AS MATERIALIZED (
                SELECT * FROM posthorn.generation
                 WHERE subscription_id = ANY (:subscriptions::bigint[]) AND number = :generation),
            made AS (
                INSERT INTO posthorn.lane (subscription_id, generation, index, since)
                SELECT subscription_id, number, i, since FROM begun CROSS JOIN generate_series(0, lanes - 1) i
                RETURNING id, subscription_id),
            owned AS (INSERT INTO posthorn.lane_owner (lane_id) SELECT id FROM made)
            INSERT INTO posthorn.lane_mark (lane_id, a, b, read_seq)
            SELECT made.id, begun.start_a, begun.start_b, coalesce((SELECT max(seq) FROM posthorn.event), 0)
              FROM made JOIN begun ON begun.subscription_id = made.subscription_id
            """;

    /** An older version's instances went by their own filter, which was never stored: so it is this one's. */
    private static final String ADOPT_FILTER = """
            UPDATE posthorn.generation
               SET types = :types::text[], aggregate_types = :aggregate_types::text[], sources = :sources::text[],
                   headers = :headers::jsonb, filter_known = true
             WHERE subscription_id = :subscription AND NOT filter_known
            """;

    /** Wishes come one after the other, and no step is taken meanwhile. NO KEY, as in {@link #LOCK_CHANGE}. */
    private static final String LOCK_FOR_WISH = """
            SELECT revision <= :revision FROM posthorn.subscription WHERE id = :subscription FOR NO KEY UPDATE
            """;

    private static final String KEEP_WISH = """
            UPDATE posthorn.subscription SET max_attempts = :max_attempts::integer, revision = :revision
             WHERE id = :subscription
               AND (max_attempts IS DISTINCT FROM :max_attempts::integer OR revision <> :revision)
            """;

    private static final String AS_WANTED = """
            (g.lanes = :lanes AND g.types = :types::text[]
                AND g.aggregate_types = :aggregate_types::text[] AND g.sources = :sources::text[]
                AND g.headers = :headers::jsonb)
            """;

    /** The lanes go on from wherever they are, with the filter that they have. */
    private static final String WITHDRAW = """
            WITH withdrawn AS (
                DELETE FROM posthorn.generation w USING posthorn.subscription s
                  JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
                 WHERE s.id = :subscription AND w.subscription_id = s.id AND w.number = s.generation + 1
                   AND {as_wanted}
                RETURNING w.subscription_id)
            UPDATE posthorn.subscription SET stop_at = NULL WHERE id IN (SELECT subscription_id FROM withdrawn)
            """.replace("{as_wanted}", AS_WANTED);

    /**
     * What is replaced stays the same change: lanes that stand still for it do so for this, and where they stop the new
     * filter begins as well as the other would have.
     */
    private static final String WANT = """
            INSERT INTO posthorn.generation (subscription_id, number, lanes, types, aggregate_types, sources, headers)
            SELECT s.id, s.generation + 1, :lanes, :types::text[], :aggregate_types::text[], :sources::text[],
                   :headers::jsonb
              FROM posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
             WHERE s.id = :subscription AND NOT {as_wanted}
                ON CONFLICT (subscription_id, number) DO UPDATE
               SET lanes = excluded.lanes, types = excluded.types, aggregate_types = excluded.aggregate_types,
                   sources = excluded.sources, headers = excluded.headers, filter_known = true
            """.replace("{as_wanted}", AS_WANTED);

    /**
     * One instance at a time takes the next step; the row is also what makes the step happen once. NO KEY, because a
     * settle that holds its mark may insert what refers to the subscription: it must not wait for who waits for it.
     */
    private static final String LOCK_CHANGE = """
            SELECT true FROM posthorn.subscription
             WHERE id = :subscription AND NOT paused FOR NO KEY UPDATE SKIP LOCKED
            """;

    /**
     * The changes whose next step is due: all lanes stand still, or all have stopped where they were to. A lane that
     * rides does neither, wherever its front is: the front moves on. What counts is that it stands still for this very
     * change: for one that was withdrawn it may have stood still before, and have read on since. Looked at without a lock
     * for many, and again after the lock of one, by a statement of its own: one that also locks may still see what was
     * withdrawn meanwhile.
     */
    private static final String DUE = """
            SELECT s.id, s.generation, s.stop_at::text AS stop_at
              FROM posthorn.subscription s
              JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
             WHERE s.id = ANY (:subscriptions::bigint[]) AND NOT s.paused
               AND (SELECT bool_and(m.front IS NULL
                               AND CASE WHEN s.stop_at IS NULL THEN m.parked_for IS NOT DISTINCT FROM w.change
                                        ELSE m.a::text = s.stop_at::text AND m.b::text = s.stop_at::text END)
                      FROM posthorn.lane_mark m JOIN posthorn.lane n ON n.id = m.lane_id
                     WHERE n.subscription_id = s.id AND n.generation = s.generation)
            """;

    private static final String STOP_HERE =
            "UPDATE posthorn.subscription SET stop_at = pg_current_snapshot() WHERE id = :subscription";

    private static final String BEGIN = """
            UPDATE posthorn.generation g
               SET start_a = :stop_at::pg_snapshot, start_b = :stop_at::pg_snapshot, era = c.era
              FROM posthorn.cluster c
             WHERE g.subscription_id = :subscription AND g.number = :next
            """;

    private static final String MOVE_ON =
            "UPDATE posthorn.subscription SET generation = :next, stop_at = NULL WHERE id = :subscription";

    /**
     * Where each lane stood in the end. The receipts of what it settled when it rode do not keep it: this one does, and
     * outlives them.
     */
    private static final String ADD_RECEIPTS = """
            INSERT INTO posthorn.receipt (lane_id, era, a, b, seq, count)
            SELECT m.lane_id, c.era, m.a, m.b, m.seq, 0
              FROM posthorn.lane n JOIN posthorn.lane_mark m ON m.lane_id = n.id CROSS JOIN posthorn.cluster c
             WHERE n.subscription_id = :subscription AND n.generation = :generation AND m.turn <> 0
            """;

    /** The lanes' own rows stay, for their receipts. */
    private static final String FORGET = """
            DELETE FROM posthorn.{table} WHERE lane_id IN (
                SELECT id FROM posthorn.lane WHERE subscription_id = :subscription AND generation = :generation)
            """;

    /** Owners before marks, as a take-over locks them. */
    private static final List<String> OF_LANES = List.of("lane_owner", "lane_mark", "lane_gauge", "lane_drain");

    /** An event has one lane in each generation, so a row cannot meet another one of its event there. */
    private static final String MOVE_ROWS = """
            UPDATE posthorn.delivery d SET lane_id = n.id
              FROM posthorn.lane o, posthorn.generation g, posthorn.lane n
             WHERE o.subscription_id = :subscription AND o.generation = :generation AND d.lane_id = o.id
               AND g.subscription_id = :subscription AND g.number = :next
               AND n.subscription_id = :subscription AND n.generation = :next
               AND n.index = posthorn.key_hash(d.key, d.event_id) % g.lanes
            """;

    private static final String FILTER_COLUMNS = """
            {g}.types AS {prefix}types, {g}.aggregate_types AS {prefix}aggregate_types,
                   {g}.sources AS {prefix}sources, {headers} AS {prefix}headers""";

    private final Statements statements;

    Generations(Statements statements) {
        this.statements = statements;
    }

    /** Each with its lanes. By id. */
    void makeFirst(Connection connection, Map<Long, Subscription> made) throws SQLException {
        List<Map<String, @Nullable Object>> first = new ArrayList<>();
        made.forEach((id, subscription) -> {
            Map<String, @Nullable Object> values = values(id, subscription);
            values.put("generation", 1);
            values.put("a", subscription.startAt() instanceof StartAt.Now ? null : Snapshot.NOTHING);
            values.put("since", subscription.startAt() instanceof StartAt.At at ? at.time() : null);
            first.add(values);
        });
        statements.executeAll(connection, MAKE_FIRST, first);
        makeLanes(connection, made.keySet(), 1);
    }

    /**
     * The newest wish counts. What is wanted and has not begun is replaced by it, or withdrawn if the current generation
     * is as wanted; otherwise that generation would begin, if only for a moment, and what comes in that moment would be
     * filtered as nobody wants it any more. A wish of an older revision comes from somebody who was held up: it is late.
     */
    void request(Connection connection, long subscriptionId, Subscription subscription) throws SQLException {
        Map<String, @Nullable Object> values = values(subscriptionId, subscription);
        int maxAttempts = subscription.retry().maxAttempts();
        values.put("max_attempts", maxAttempts == RetryPolicy.UNLIMITED ? null : maxAttempts);
        values.put("revision", subscription.revision());
        if (statements.isTrue(connection, LOCK_FOR_WISH, values)) {
            statements.execute(connection, KEEP_WISH, values);
            statements.execute(connection, ADOPT_FILTER, values);
            statements.execute(connection, WITHDRAW, values);
            statements.execute(connection, WANT, values);
        }
    }

    /** Those of which somebody may take the next step now. */
    Set<Long> due(Session session, Collection<Long> subscriptionIds) {
        return session.query(
                "looking for changes that may go on",
                statements.sql(DUE),
                Map.of("subscriptions", subscriptionIds.toArray(Long[]::new)),
                rows -> {
                    Set<Long> due = new LinkedHashSet<>();
                    while (rows.next()) {
                        due.add(rows.getLong("id"));
                    }
                    return due;
                });
    }

    /** Takes the next step, if it is due and nobody else takes it. */
    void advance(Connection connection, long subscriptionId) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscription", subscriptionId);
        values.put("subscriptions", new Long[] {subscriptionId});
        if (statements.isTrue(connection, LOCK_CHANGE, values) && isDue(connection, values)) {
            if (values.get("stop_at") == null) {
                statements.execute(connection, STOP_HERE, values);
            } else {
                begin(connection, values);
            }
        }
    }

    private boolean isDue(Connection connection, Map<String, @Nullable Object> values) throws SQLException {
        return statements.query(connection, DUE, values, row -> {
            if (!row.next()) {
                return false;
            }
            values.put("generation", row.getInt("generation"));
            values.put("next", row.getInt("generation") + 1);
            values.put("stop_at", row.getString("stop_at"));
            return true;
        });
    }

    /**
     * Ends the generation and begins the next. The former lanes' owners may be alive, with a settle under way. A settle
     * begins with the update of its mark and changes delivery rows only after that. So the marks are deleted first, by
     * a statement of its own: it waits for the settles that hold one, and whoever comes later finds none and changes
     * nothing. The statement that moves the rows then begins, and so takes its snapshot, after the last such commit:
     * it sees every row there will ever be. In one statement with the deletion, or before it, it would miss the rows of
     * a settle that was waited for, and they would stay behind in a lane that nobody owns.
     */
    private void begin(Connection connection, Map<String, @Nullable Object> values) throws SQLException {
        statements.execute(connection, ADD_RECEIPTS, values);
        for (String table : OF_LANES) {
            statements.execute(connection, FORGET.replace("{table}", table), values);
        }
        statements.execute(connection, BEGIN, values);
        statements.execute(connection, MOVE_ON, values);
        makeLanes(connection, List.of(number(values, "subscription")), (int) number(values, "next"));
        statements.execute(connection, MOVE_ROWS, values);
    }

    private static long number(Map<String, @Nullable Object> values, String name) {
        return ((Number) Objects.requireNonNull(values.get(name))).longValue();
    }

    private void makeLanes(Connection connection, Collection<Long> subscriptionIds, int generation)
            throws SQLException {
        Map<String, Object> values =
                Map.of("subscriptions", subscriptionIds.toArray(Long[]::new), "generation", generation);
        statements.execute(connection, MAKE_LANES, values);
    }

    private static Map<String, @Nullable Object> values(long subscriptionId, Subscription subscription) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscription", subscriptionId);
        values.put("lanes", subscription.lanes());
        subscription.filter().addValues(values);
        return values;
    }

    /** The columns of a generation's filter, for {@link #filter} to read. */
    public static String filterColumns(String generation, String prefix) {
        return FILTER_COLUMNS
                .replace("{g}", generation)
                .replace("{prefix}", prefix)
                .replace("{headers}", EventRow.namesAndValues(generation + ".headers"));
    }

    /** The stored filter, from columns that begin with the prefix. */
    public static Filter filter(ResultSet row, String prefix) throws SQLException {
        return Filter.ofLikePatterns(
                (String[]) row.getArray(prefix + "types").getArray(),
                (String[]) row.getArray(prefix + "aggregate_types").getArray(),
                (String[]) row.getArray(prefix + "sources").getArray(),
                EventRow.headers(row.getArray(prefix + "headers")));
    }
}
