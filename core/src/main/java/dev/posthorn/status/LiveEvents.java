package dev.posthorn.status;

import dev.posthorn.log.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events of a subscription that its marks have not settled and that have no row of their own.
 *
 * <p>They lie in two places: in the windows that lanes are inside of, beyond the least seq of their marks, and after
 * those windows, from the oldest transaction that was running at their ends. Each place is walked by its own index as
 * far as the bound, so that the cost depends neither on the backlog nor on the history. If both end before the bound the
 * numbers are exact. Otherwise what lies beyond is estimated: the part of the looked-at events that was unsettled, times
 * the numbers that the sequence has given out since.
 */
final class LiveEvents {

    /** a = b: the lane stands between windows. */
    static final String COUNT =
            """
            WITH lanes AS MATERIALIZED (
                SELECT s.id AS subscription_id, n.index, g.lanes, g AS its, m, o, c.floor_seq,
                       m.a::text <> m.b::text AS inside, pg_snapshot_xmin(m.b) AS from_txid, m.seq AS from_seq
                  FROM posthorn.subscription s
                  JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
                  JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
                  JOIN posthorn.lane_effective m ON m.lane_id = n.id
                  LEFT JOIN posthorn.lane_drain o ON o.lane_id = n.id
                 CROSS JOIN posthorn.cluster c
                 WHERE s.name = :subscription),
            inside AS MATERIALIZED (
                SELECT {columns} FROM posthorn.event
                 WHERE seq > (SELECT min(from_seq) FROM lanes WHERE inside)
                 ORDER BY seq LIMIT :bound::bigint + 1),
            after AS MATERIALIZED (
                SELECT {columns} FROM posthorn.event
                 WHERE txid >= (SELECT from_txid FROM lanes ORDER BY from_txid LIMIT 1)
                   AND seq > (SELECT min(floor_seq) FROM lanes)
                 ORDER BY txid, seq LIMIT :bound::bigint + 1),
            live AS MATERIALIZED (
                SELECT e.*, posthorn.is_handed_over(e.txid, e.seq, l.floor_seq, l.m) AS sending
                  FROM (SELECT *, true AS of_window FROM inside UNION ALL SELECT *, false FROM after) e
                  JOIN lanes l ON l.index = posthorn.key_hash(e.key, e.id) % l.lanes
                 WHERE e.of_window = (e.seq <= l.floor_seq OR pg_visible_in_snapshot(e.txid, (l.m).b))
                   AND NOT posthorn.is_settled(e.txid, e.seq, l.floor_seq, l.m, l.o)
                   AND posthorn.is_wanted(l.its, e.type, e.aggregate_type, e.source, e.headers)
                   AND ((l.its).since IS NULL OR e.created_at >= (l.its).since
                        OR NOT posthorn.is_visible(e.txid,
                               (SELECT coalesce(max(number), -1) FROM posthorn.era WHERE era.floor_seq < e.seq),
                               (l.its).start_b, (l.its).era))
                   AND NOT EXISTS (SELECT FROM posthorn.dead_letter d
                                    WHERE d.subscription_id = l.subscription_id AND d.seq = e.seq)
                   AND NOT EXISTS (SELECT FROM posthorn.delivery d JOIN posthorn.lane n ON n.id = d.lane_id
                                    WHERE d.seq = e.seq AND n.subscription_id = l.subscription_id))
            SELECT (SELECT count(*) FROM live WHERE of_window) AS live_inside,
                   (SELECT count(*) FROM live WHERE NOT of_window) AS live_after,
                   (SELECT count(*) FROM live WHERE sending) AS sending,
                   (SELECT count(*) FROM inside) AS seen_inside, (SELECT count(*) FROM after) AS seen_after,
                   (SELECT max(seq) FROM inside) AS last_inside, (SELECT max(seq) FROM after) AS last_after,
                   (SELECT last_value FROM posthorn.event_seq) AS last_seq,
                   (SELECT extract(epoch FROM posthorn.clock() - min(created_at)) * 1000 FROM live) AS oldest_ms
            """.replace("{columns}", "txid, seq, id, key, type, aggregate_type, source, headers, created_at");

    /** The same of several, each for itself. */
    private static final String COUNT_EACH = """
            SELECT behind.name, counted.*
              FROM unnest(:subscriptions::text[]) AS behind (name) CROSS JOIN LATERAL ({count}) counted
            """.replace("{count}", COUNT.replace(":subscription", "behind.name"));

    /** How many events are looked at for all that are behind; if those are many, the bound of each is lower. */
    private static final int MOST_LOOKED_AT = 200_000;

    private static final int LEAST_BOUND = 100;

    private LiveEvents() {}

    /** What was found. */
    record Live(Count pending, Count sending, @Nullable Duration oldestAge) {

        static final Live NONE = new Live(Count.exactly(0), Count.exactly(0), null);
    }

    /**
     * Of these subscriptions, or with null of all; none of one is the same as no entry. Those near the end of the log, which is
     * nearly all of them nearly always, are found by a look at its end; the others one after the other, by one statement.
     */
    static Map<String, Live> of(Queries.Transaction transaction, @Nullable Collection<String> subscriptions, int bound)
            throws SQLException {
        EndOfLog end = EndOfLog.look(transaction.walkingIndexes(), subscriptions, bound);
        List<String> alone = new ArrayList<>(end.behind());
        Map<String, Live> found = new HashMap<>(end.live(transaction, alone));
        if (!alone.isEmpty()) {
            int each = Math.max(LEAST_BOUND, MOST_LOOKED_AT / alone.size());
            found.putAll(each(transaction, alone, Math.min(bound, each)));
        }
        return found;
    }

    private static Map<String, Live> each(Queries.Transaction transaction, List<String> subscriptions, int bound)
            throws SQLException {
        Map<String, Object> values = Map.of("subscriptions", subscriptions.toArray(String[]::new), "bound", bound);
        Map<String, Live> found = new HashMap<>();
        transaction
                .walkingIndexes()
                .list(COUNT_EACH, values, row -> found.put(row.getString("name"), read(row, bound)) == null);
        return found;
    }

    private static Live read(ResultSet row, int bound) throws SQLException {
        long inside = row.getLong("live_inside");
        long after = row.getLong("live_after");
        long sending = row.getLong("sending");
        long lastSeq = row.getLong("last_seq");
        boolean insideIsCut = row.getLong("seen_inside") > bound;
        boolean afterIsCut = row.getLong("seen_after") > bound;
        Duration oldestAge = age(row, "oldest_ms");
        if (!insideIsCut && !afterIsCut) {
            return new Live(Count.exactly(inside + after - sending), Count.exactly(sending), oldestAge);
        }
        // What comes after a window has higher numbers, so the rest of a cut window includes it.
        long estimate = insideIsCut
                ? inside + beyond(inside, bound, lastSeq - row.getLong("last_inside"))
                : inside + after + beyond(after, bound, lastSeq - row.getLong("last_after"));
        return new Live(Count.about(estimate - sending), Count.about(sending), oldestAge);
    }

    static @Nullable Duration age(ResultSet row, String column) throws SQLException {
        double millis = row.getDouble(column);
        return row.wasNull() ? null : Duration.ofMillis(Math.max(0, (long) millis));
    }

    private static long beyond(long live, int bound, long numbers) {
        return Math.round((double) live / (bound + 1) * Math.max(0, numbers));
    }
}
