package dev.posthorn.status;

import dev.posthorn.log.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The average time from recording to settling, from a sample of bounded size.
 *
 * <p>Nothing is stored per delivered event, but a lane writes a receipt with a settle, or its front does, at most once a
 * second. Of up to 200 receipts, spread evenly over the period, the newest event is taken that the receipt covers and the one before it
 * does not: it was settled just then. It stands for all the events that its receipt counts. Events that failed at first
 * have an attempt of their own that says when they were delivered: up to 1,000 of these are added, one by one. A purged dead
 * letter has no attempts any more, and was not delivered either.
 *
 * <p>Where it errs: within a receipt, which is at most a second of one lane's work, older events count as if they had
 * been recorded with the newest one; what long transactions recorded is rarely the newest, so it is underrepresented;
 * receipts whose newest event is not found among the 500 nearest rows of the log (a filter that wants very little) are
 * left out; events not yet delivered are not in it at all, for which there is the oldest age.
 */
final class LatencySample {

    private static final int RECEIPTS = 200;

    /** Of all together, where many are asked about. */
    private static final int SHARED = 2_000;

    private static final int ROWS = 500;
    private static final int ATTEMPTS = 1_000;

    /**
     * Of each of some subscriptions. Inside a window the mark's seq is its newest event; at the end of one it is among the last
     * transactions. former: what the lane's receipt before that one covers, or the last of its own from before the period.
     */
    static final String AVERAGE =
            """
            WITH lanes AS MATERIALIZED (
                SELECT n.id AS lane_id, n.subscription_id, n.index, g AS its, g.lanes
                  FROM posthorn.lane n
                  JOIN posthorn.generation g ON g.subscription_id = n.subscription_id AND g.number = n.generation
                 WHERE n.subscription_id = ANY (:subscriptions::bigint[])),
            told AS MATERIALIZED (
                SELECT l.subscription_id, r.lane_id, r.era, r.a, r.b, r.seq, r.count, r.settled_at
                  FROM lanes l JOIN posthorn.receipt r ON r.lane_id = l.lane_id
                 WHERE r.settled_at >= :from::timestamptz AND (:to::timestamptz IS NULL OR r.settled_at < :to)
                   AND r.count > 0
                UNION ALL
                SELECT l.subscription_id, r.lane_id, f.era, f.a, f.b, f.seq, r.count, f.settled_at
                  FROM posthorn.front_receipt f CROSS JOIN LATERAL unnest(f.lanes, f.counts) AS r (lane_id, count)
                  JOIN lanes l ON l.lane_id = r.lane_id
                 WHERE f.settled_at >= :from::timestamptz AND (:to::timestamptz IS NULL OR f.settled_at < :to)),
            receipts AS MATERIALIZED (
                SELECT t.*, c.floor_seq,
                       lag(t.a) OVER former AS former_a, lag(t.b) OVER former AS former_b, lag(t.seq) OVER former AS former_seq,
                       row_number() OVER (PARTITION BY t.subscription_id ORDER BY t.settled_at, t.lane_id) AS place,
                       count(*) OVER (PARTITION BY t.subscription_id) AS all_receipts
                  FROM told t JOIN posthorn.cluster c ON c.era = t.era
                WINDOW former AS (PARTITION BY t.lane_id ORDER BY t.settled_at)),
            sample AS MATERIALIZED (
                SELECT r.*, l.its, l.lanes, l.index FROM receipts r JOIN lanes l ON l.lane_id = r.lane_id
                 WHERE place * :receipts / all_receipts > (place - 1) * :receipts / all_receipts),
            settled AS (
                SELECT r.subscription_id, r.count AS weight, r.settled_at - e.created_at AS took
                  FROM sample r
                  LEFT JOIN LATERAL (
                       SELECT p.* FROM posthorn.receipt p
                        WHERE p.lane_id = r.lane_id AND p.era = r.era AND p.settled_at < r.settled_at
                        ORDER BY p.settled_at DESC LIMIT 1) own ON true
                 CROSS JOIN LATERAL (
                       SELECT near.created_at, near.seq FROM (
                           (SELECT {columns} FROM posthorn.event
                             WHERE r.a::text <> r.b::text AND seq <= r.seq ORDER BY seq DESC LIMIT :rows)
                           UNION ALL
                           (SELECT {columns} FROM posthorn.event
                             WHERE r.a::text = r.b::text AND txid < pg_snapshot_xmax(r.b) AND seq > r.floor_seq
                             ORDER BY txid DESC, seq DESC LIMIT :rows)) near
                        WHERE r.index = posthorn.key_hash(near.key, near.id) % r.lanes
                          AND posthorn.is_wanted(r.its, near.type, near.aggregate_type, near.source, near.headers)
                          AND posthorn.is_covered(near.txid, near.seq, r.floor_seq, r.a, r.b, r.seq)
                          AND NOT coalesce(posthorn.is_covered(
                                  near.txid, near.seq, r.floor_seq, r.former_a, r.former_b, r.former_seq), false)
                          AND NOT coalesce(posthorn.is_covered(
                                  near.txid, near.seq, r.floor_seq, own.a, own.b, own.seq), false)
                        ORDER BY near.created_at DESC LIMIT 1) e
                 WHERE NOT EXISTS (SELECT FROM posthorn.attempt t
                                    WHERE t.subscription_id = r.subscription_id AND t.seq = e.seq)
                   AND NOT EXISTS (SELECT FROM posthorn.dead_letter l
                                    WHERE l.subscription_id = r.subscription_id AND l.seq = e.seq)),
            tried AS (
                SELECT t.subscription_id, 1 AS weight,
                       t.started_at + t.took_ms * interval '1 millisecond' - e.created_at AS took
                  FROM unnest(:subscriptions::bigint[]) AS s (id)
                 CROSS JOIN LATERAL (
                       SELECT t.* FROM posthorn.attempt t
                        WHERE t.subscription_id = s.id AND t.outcome = 'DELIVERED'
                          AND t.started_at >= :from::timestamptz
                          AND (:to::timestamptz IS NULL OR t.started_at < :to)
                        ORDER BY t.started_at DESC LIMIT :attempts) t
                 CROSS JOIN LATERAL (SELECT created_at FROM posthorn.event WHERE seq = t.seq LIMIT 1) e)
            SELECT subscription_id AS id,
                   sum(extract(epoch FROM greatest(took, interval '0')) * weight) / nullif(sum(weight), 0) AS average,
                   count(*) AS sample
              FROM (SELECT * FROM settled UNION ALL SELECT * FROM tried) every
             GROUP BY subscription_id
            """.replace("{columns}", "txid, seq, id, key, type, aggregate_type, source, headers, created_at");

    /** Those that settled most since then. */
    private static final String BUSIEST = """
            SELECT s.id, s.name
              FROM (SELECT n.subscription_id, r.count
                      FROM posthorn.receipt r JOIN posthorn.lane n ON n.id = r.lane_id
                     WHERE r.settled_at >= :from::timestamptz AND r.count > 0
                    UNION ALL
                    SELECT n.subscription_id, r.count
                      FROM posthorn.front_receipt f CROSS JOIN LATERAL unnest(f.lanes, f.counts) AS r (lane_id, count)
                      JOIN posthorn.lane n ON n.id = r.lane_id
                     WHERE f.settled_at >= :from::timestamptz) r
              JOIN posthorn.subscription s ON s.id = r.subscription_id
             GROUP BY s.id, s.name ORDER BY sum(r.count) DESC, s.id LIMIT :most
            """;

    private LatencySample() {}

    /** Of each of the busiest since then, by its name. What one has as a sample for itself they share. */
    static Map<String, Latency> averages(Queries.Transaction transaction, Instant from, int most) throws SQLException {
        Map<Long, String> busiest = new HashMap<>();
        transaction.list(
                BUSIEST,
                Map.of("from", from, "most", most),
                row -> busiest.put(row.getLong("id"), row.getString("name")) == null);
        if (busiest.isEmpty()) {
            return Map.of();
        }
        Map<String, @Nullable Object> values =
                values(busiest.keySet(), from, null, Math.max(2, SHARED / busiest.size()));
        Map<String, Latency> found = new HashMap<>();
        transaction
                .walkingIndexes()
                .list(
                        AVERAGE,
                        values,
                        row -> found.put(Objects.requireNonNull(busiest.get(row.getLong("id"))), latency(row)) == null);
        return found;
    }

    /** Of what was settled from one time on, and before another one if that is given. */
    static Optional<Latency> average(
            Queries.Transaction transaction, long subscription, Instant from, @Nullable Instant to)
            throws SQLException {
        Map<String, @Nullable Object> values = values(List.of(subscription), from, to, RECEIPTS);
        return transaction.walkingIndexes().first(AVERAGE, values, LatencySample::latency);
    }

    private static Map<String, @Nullable Object> values(
            Collection<Long> subscriptions, Instant from, @Nullable Instant to, int receipts) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscriptions", subscriptions.toArray(Long[]::new));
        values.put("from", from);
        values.put("to", to);
        values.put("receipts", Math.min(RECEIPTS, receipts));
        values.put("rows", ROWS);
        values.put("attempts", ATTEMPTS);
        return values;
    }

    private static Latency latency(ResultSet row) throws SQLException {
        return new Latency(Duration.ofMillis(Math.round(row.getDouble("average") * 1_000)), row.getInt("sample"));
    }
}
