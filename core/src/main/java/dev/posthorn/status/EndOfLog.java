package dev.posthorn.status;

import dev.posthorn.log.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The live events of the subscriptions that have nearly everything settled, found by one look at the end of the log for all
 * of them. What it costs follows the events there and who wants them, not the number of subscriptions: the events are first
 * brought to their kinds, a kind to those who want it, and only then an event to a lane.
 *
 * @param behind the subscriptions for which that look is not enough
 * @param fromTxid where the others' live events after their windows begin; null if there are no others
 * @param fromSeq where those inside their windows begin; null if no lane is inside of one
 * @param subscriptions of which it is; null: all
 */
record EndOfLog(
        List<String> behind,
        @Nullable String fromTxid,
        @Nullable Long fromSeq,
        @Nullable Collection<String> subscriptions) {

    /** How many events the end has at most. */
    private static final int LENGTH = 2_000;

    /** Of an event and a subscription that wants it. Where many want everything it is less to look at each of them alone. */
    private static final int MOST_PAIRS = 400_000;

    private static final String CHOSEN = "s.name = ANY (:subscriptions::text[])";

    /** Behind: an unsettled event may lie before the end. While the whole log is no longer than the end nobody is. */
    private static final String LOOK = """
            WITH edge AS MATERIALIZED (
                SELECT (SELECT txid FROM posthorn.event ORDER BY txid DESC OFFSET :length LIMIT 1) AS txid,
                       (SELECT seq FROM posthorn.event ORDER BY seq DESC OFFSET :length LIMIT 1) AS seq),
            lanes AS MATERIALIZED (
                SELECT s.name, m.seq AS from_seq, pg_snapshot_xmin(m.b) AS from_txid, m.a::text <> m.b::text AS inside
                  FROM posthorn.subscription s
                  JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
                  JOIN posthorn.lane_effective m ON m.lane_id = n.id
                 WHERE {chosen}),
            behind AS MATERIALIZED (
                SELECT name FROM lanes CROSS JOIN edge
                 WHERE from_txid <= edge.txid OR (inside AND from_seq < edge.seq) GROUP BY name),
            near AS MATERIALIZED (SELECT * FROM lanes WHERE name NOT IN (SELECT name FROM behind))
            SELECT ARRAY(SELECT name FROM behind ORDER BY name) AS behind,
                   (SELECT from_txid::text FROM near ORDER BY from_txid LIMIT 1) AS from_txid,
                   (SELECT min(from_seq) FROM near WHERE inside) AS from_seq
            """;

    /**
     * The events are held against all filters at once: those that name the type are found by its name, and only the others are
     * tried one by one. Then only the events go on that come after what the subscription has settled for certain, because a
     * single lane that lags makes the end long for all.
     */
    private static final String LIVE = """
            WITH events AS MATERIALIZED (
                SELECT *, txid::text::bigint AS place,
                       dense_rank() OVER (ORDER BY type, source, aggregate_type, headers) AS kind
                  FROM (SELECT {columns} FROM posthorn.event
                         WHERE txid >= :from_txid::xid8 AND seq > (SELECT floor_seq FROM posthorn.cluster)
                        UNION
                        SELECT {columns} FROM posthorn.event WHERE seq > :from_seq::bigint) e),
            kinds AS MATERIALIZED (
                SELECT kind, type, source, aggregate_type, headers, posthorn.like_literal(type) AS literal, count(*) AS events
                  FROM events GROUP BY kind, type, source, aggregate_type, headers),
            near AS MATERIALIZED (
                SELECT s.id, s.name, s.generation, min(pg_snapshot_xmin(m.b)::text::bigint) AS from_place,
                       coalesce(min(m.seq) FILTER (WHERE m.a::text <> m.b::text), {never}) AS from_seq
                  FROM posthorn.subscription s
                  JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
                  JOIN posthorn.lane_effective m ON m.lane_id = n.id
                 WHERE s.name <> ALL (:behind::text[]) AND {chosen}
                 GROUP BY s.id),
            filters AS MATERIALIZED (
                SELECT s.id, s.name, s.from_place, s.from_seq, g AS its, g.types
                  FROM near s
                  JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
                 WHERE s.from_place <= (SELECT max(place) FROM events) OR s.from_seq < (SELECT max(seq) FROM events)),
            may_want AS MATERIALIZED (
                SELECT k.kind, f.id FROM filters f CROSS JOIN LATERAL unnest(f.types) AS t (type) JOIN kinds k ON k.literal = t.type
                UNION
                SELECT k.kind, f.id FROM filters f CROSS JOIN kinds k WHERE posthorn.has_pattern(f.types)),
            wanted AS MATERIALIZED (
                SELECT k.kind, k.events, f.name, f.from_place, f.from_seq, f.its
                  FROM may_want may
                  JOIN kinds k ON k.kind = may.kind
                  JOIN filters f ON f.id = may.id
                 WHERE posthorn.is_wanted(f.its, k.type, k.aggregate_type, k.source, k.headers)),
            pairs AS MATERIALIZED (SELECT coalesce(sum(events), 0) > {most} AS too_many FROM wanted)
            SELECT w.name, count(*) AS live,
                   count(*) FILTER (WHERE posthorn.is_handed_over(e.txid, e.seq, c.floor_seq, m)) AS sending,
                   extract(epoch FROM posthorn.clock() - min(e.created_at)) * 1000 AS oldest_ms
              FROM wanted w
              JOIN events e ON e.kind = w.kind AND (e.place >= w.from_place OR e.seq > w.from_seq)
              JOIN posthorn.lane n ON n.subscription_id = (w.its).subscription_id
                   AND n.generation = (w.its).number
                   AND n.index = posthorn.key_hash(e.key, e.id) % (w.its).lanes
              JOIN posthorn.lane_effective m ON m.lane_id = n.id
              LEFT JOIN posthorn.lane_drain o ON o.lane_id = n.id
             CROSS JOIN posthorn.cluster c
             WHERE NOT (SELECT too_many FROM pairs)
               AND NOT posthorn.is_settled(e.txid, e.seq, c.floor_seq, m, o)
               AND ((w.its).since IS NULL OR e.created_at >= (w.its).since
                    OR NOT posthorn.is_visible(e.txid,
                           (SELECT coalesce(max(number), -1) FROM posthorn.era WHERE era.floor_seq < e.seq),
                           (w.its).start_b, (w.its).era))
               AND NOT EXISTS (SELECT FROM posthorn.dead_letter d
                                WHERE d.subscription_id = (w.its).subscription_id AND d.seq = e.seq)
               AND NOT EXISTS (SELECT FROM posthorn.delivery d JOIN posthorn.lane n ON n.id = d.lane_id
                                WHERE d.seq = e.seq AND n.subscription_id = (w.its).subscription_id)
             GROUP BY w.name
            UNION ALL
            SELECT DISTINCT name, NULL::bigint, NULL::bigint, NULL::numeric FROM wanted WHERE (SELECT too_many FROM pairs)
            """.replace(
                    "{columns}", "txid, seq, id, key, type, aggregate_type, source, headers, created_at")
            .replace("{never}", Long.toString(Long.MAX_VALUE))
            .replace("{most}", Integer.toString(MOST_PAIRS));

    /** Looks who is behind; the end is no longer than the bound. */
    static EndOfLog look(Queries.Transaction transaction, @Nullable Collection<String> subscriptions, int bound)
            throws SQLException {
        Map<String, Object> values = values(subscriptions);
        values.put("length", Math.min(LENGTH, bound));
        return transaction
                .first(chosen(LOOK, subscriptions), values, row -> read(row, subscriptions))
                .orElseThrow();
    }

    private static EndOfLog read(ResultSet row, @Nullable Collection<String> subscriptions) throws SQLException {
        return new EndOfLog(
                List.of((String[]) row.getArray("behind").getArray()),
                row.getString("from_txid"),
                row.getObject("from_seq", Long.class),
                subscriptions);
    }

    /**
     * Of those that are not behind, each that has any.
     *
     * @param tooMany gets those for which they are too many to be found all together
     */
    Map<String, LiveEvents.Live> live(Queries.Transaction transaction, List<String> tooMany) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>(values(subscriptions));
        values.put("from_txid", fromTxid);
        values.put("from_seq", fromSeq);
        values.put("behind", behind.toArray(String[]::new));
        Map<String, LiveEvents.Live> found = new HashMap<>();
        transaction.list(chosen(LIVE, subscriptions), values, row -> {
            String name = row.getString("name");
            return row.getObject("live") == null ? tooMany.add(name) : found.put(name, live(row)) == null;
        });
        return found;
    }

    private static LiveEvents.Live live(ResultSet row) throws SQLException {
        long sending = row.getLong("sending");
        return new LiveEvents.Live(
                Count.exactly(row.getLong("live") - sending), Count.exactly(sending), LiveEvents.age(row, "oldest_ms"));
    }

    private static String chosen(String sql, @Nullable Collection<String> subscriptions) {
        return sql.replace("{chosen}", subscriptions == null ? "true" : CHOSEN);
    }

    private static Map<String, Object> values(@Nullable Collection<String> subscriptions) {
        Map<String, Object> values = new HashMap<>();
        if (subscriptions != null) {
            values.put("subscriptions", subscriptions.toArray(String[]::new));
        }
        return values;
    }
}
