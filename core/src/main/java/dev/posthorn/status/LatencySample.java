package dev.posthorn.status;

import dev.posthorn.log.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The average time from recording to settling, from a sample of bounded size.
 *
 * <p>Nothing is stored per delivered event, but a lane writes a receipt with a settle, at most once a second. Of up to
 * 200 receipts, spread evenly over the period, the newest event is taken that the receipt covers and the one before it
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

    /** Inside a window the mark's seq is its newest event; at the end of one it is among the last transactions. */
    static final String AVERAGE =
            """
            WITH receipts AS MATERIALIZED (
                SELECT r.*, c.floor_seq, g AS its, g.lanes, n.index,
                       row_number() OVER (ORDER BY r.settled_at, r.lane_id) AS place, count(*) OVER () AS all_receipts
                  FROM posthorn.lane n
                  JOIN posthorn.generation g ON g.subscription_id = n.subscription_id AND g.number = n.generation
                  JOIN posthorn.receipt r ON r.lane_id = n.id
                  JOIN posthorn.cluster c ON c.era = r.era
                 WHERE n.subscription_id = :subscription AND r.settled_at >= :from::timestamptz
                   AND (:to::timestamptz IS NULL OR r.settled_at < :to)),
            sample AS MATERIALIZED (
                SELECT * FROM receipts
                 WHERE place * :receipts / all_receipts > (place - 1) * :receipts / all_receipts),
            settled AS (
                SELECT r.count AS weight, r.settled_at - e.created_at AS took
                  FROM sample r
                  LEFT JOIN LATERAL (
                       SELECT p.* FROM posthorn.receipt p
                        WHERE p.lane_id = r.lane_id AND p.era = r.era AND p.settled_at < r.settled_at
                        ORDER BY p.settled_at DESC LIMIT 1) before ON true
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
                                  near.txid, near.seq, r.floor_seq, before.a, before.b, before.seq), false)
                        ORDER BY near.created_at DESC LIMIT 1) e
                 WHERE NOT EXISTS (SELECT FROM posthorn.attempt t
                                    WHERE t.subscription_id = :subscription AND t.seq = e.seq)
                   AND NOT EXISTS (SELECT FROM posthorn.dead_letter l
                                    WHERE l.subscription_id = :subscription AND l.seq = e.seq)),
            tried AS (
                SELECT 1 AS weight, t.started_at + t.took_ms * interval '1 millisecond' - e.created_at AS took
                  FROM (SELECT t.* FROM posthorn.attempt t
                         WHERE t.subscription_id = :subscription AND t.outcome = 'DELIVERED'
                           AND t.started_at >= :from::timestamptz
                           AND (:to::timestamptz IS NULL OR t.started_at < :to)
                         ORDER BY t.started_at DESC LIMIT :attempts) t
                 CROSS JOIN LATERAL (SELECT created_at FROM posthorn.event WHERE seq = t.seq LIMIT 1) e)
            SELECT sum(extract(epoch FROM greatest(took, interval '0')) * weight) / nullif(sum(weight), 0) AS average,
                   count(*) AS sample
              FROM (SELECT * FROM settled UNION ALL SELECT * FROM tried) every
            """.replace("{columns}", "txid, seq, id, key, type, aggregate_type, source, headers, created_at");

    /** Those that settled most since then. */
    private static final String BUSIEST = """
            SELECT s.id, s.name FROM posthorn.receipt r
              JOIN posthorn.lane n ON n.id = r.lane_id JOIN posthorn.subscription s ON s.id = n.subscription_id
             WHERE r.settled_at >= :from::timestamptz
             GROUP BY s.id, s.name ORDER BY sum(r.count) DESC, s.id LIMIT :most
            """;

    private static final String AVERAGE_EACH = """
            SELECT busy.id, sampled.*
              FROM unnest(:subscriptions::bigint[]) AS busy (id) CROSS JOIN LATERAL ({average}) sampled
            """.replace("{average}", AVERAGE.replace(":subscription", "busy.id"));

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
        Map<String, @Nullable Object> values = values(from, null, Math.max(2, SHARED / busiest.size()));
        values.put("subscriptions", busiest.keySet().toArray(Long[]::new));
        Map<String, Latency> found = new HashMap<>();
        transaction.walkingIndexes().list(AVERAGE_EACH, values, row -> {
            Latency latency = latency(row);
            return latency.sample() > 0
                    && found.put(Objects.requireNonNull(busiest.get(row.getLong("id"))), latency) == null;
        });
        return found;
    }

    /** Of what was settled from one time on, and before another one if that is given. */
    static Optional<Latency> average(
            Queries.Transaction transaction, long subscription, Instant from, @Nullable Instant to)
            throws SQLException {
        Map<String, @Nullable Object> values = values(from, to, RECEIPTS);
        values.put("subscription", subscription);
        return transaction
                .walkingIndexes()
                .first(AVERAGE, values, LatencySample::latency)
                .filter(latency -> latency.sample() > 0);
    }

    private static Map<String, @Nullable Object> values(Instant from, @Nullable Instant to, int receipts) {
        Map<String, @Nullable Object> values = new HashMap<>();
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
