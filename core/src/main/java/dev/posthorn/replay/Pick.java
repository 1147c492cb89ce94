package dev.posthorn.replay;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which items a replay has, as SQL: one text for the preview and for the freeze, so that they cannot differ. Its rows
 * have the columns {@code subscription_id, seq, event_id, key, key_hash, dead_letter_id, type, recorded_at, skipped}, of
 * which the last tells why an item is not to be sent.
 */
record Pick(String sql, Map<String, @Nullable Object> values) {

    /** One more than may be, so that too many are noticed. */
    private static final String PICKED = "picked AS MATERIALIZED (SELECT * FROM ({pick}) picked LIMIT :most)";

    /** Settled events {@code e} that subscriptions {@code s} want: delivered, or passed over when the filter was another. */
    static final String SETTLED_JOINS = """
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
                   AND n.index = posthorn.key_hash(e.key, e.id) % g.lanes
              JOIN posthorn.lane_effective m ON m.lane_id = n.id
              LEFT JOIN posthorn.lane_drain o ON o.lane_id = n.id
             CROSS JOIN posthorn.cluster c
            """;

    /**
     * The mark of the lane that has the event's key now tells of everything before it as well: of former generations and
     * of what came before the subscription.
     */
    static final String SETTLED = """
            posthorn.is_wanted(g, e.type, e.aggregate_type, e.source, e.headers)
               AND posthorn.is_settled(e.txid, e.seq, c.floor_seq, m, o)
               AND NOT EXISTS (SELECT FROM posthorn.delivery d JOIN posthorn.lane dn ON dn.id = d.lane_id
                                WHERE d.seq = e.seq AND dn.subscription_id = s.id)
               AND NOT EXISTS (SELECT FROM posthorn.dead_letter l WHERE l.subscription_id = s.id AND l.seq = e.seq)
            """;

    /** The statement with the picked rows in place of {@code {picked}}. */
    String statement(String sql) {
        return sql.replace("{picked}", PICKED.replace("{pick}", this.sql));
    }

    Map<String, @Nullable Object> values(long most) {
        Map<String, @Nullable Object> all = new HashMap<>(values);
        all.put("most", most);
        return all;
    }
}
