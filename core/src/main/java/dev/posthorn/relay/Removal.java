package dev.posthorn.relay;

import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.retention.Leftovers;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * Takes a subscription out of the tables, but for what tells which events it had delivered: its generations, its lanes and
 * their receipts stay under the id that it had, as long as the log has such an event ({@link Leftovers}).
 */
final class Removal {

    private static final String INSTANCES = """
            SELECT o.instance FROM posthorn.subscription s
              JOIN posthorn.served v ON v.subscription_id = s.id
              JOIN posthorn.session o ON o.id = v.session_id
             WHERE s.name = :name AND o.expires_at > posthorn.clock() ORDER BY o.instance
            """;

    /**
     * First the owners and marks, in that order and by themselves: from there on an owner that was only not heard of
     * settles nothing, and the deletion of the rest, which takes longer, meets nobody who waits for it the other way.
     */
    private static final String DELETE_OWNERS = """
            DELETE FROM posthorn.lane_owner WHERE lane_id IN (
                SELECT n.id FROM posthorn.lane n JOIN posthorn.subscription s ON s.id = n.subscription_id
                 WHERE s.name = :name)
            """;

    /**
     * An owner that was killed had settled more than its last receipt says, and where a lane stands that rides is in no
     * receipt of its own. Tells of how many lanes that is so.
     */
    private static final String DELETE_MARKS = """
            WITH fenced AS (
                DELETE FROM posthorn.lane_mark m USING posthorn.lane n, posthorn.subscription s
                 WHERE s.name = :name AND n.subscription_id = s.id AND m.lane_id = n.id
                RETURNING m.lane_id, m.a, m.b, m.seq, m.turn, m.moved_at, m.front),
            last AS (
                SELECT m.lane_id, coalesce(f.a, m.a) AS a, coalesce(f.b, m.b) AS b, coalesce(f.seq, m.seq) AS seq,
                       coalesce(f.moved_at, m.moved_at) AS moved_at
                  FROM fenced m LEFT JOIN posthorn.front f ON f.id = m.front
                 WHERE m.turn <> 0 OR m.front IS NOT NULL)
            INSERT INTO posthorn.receipt (lane_id, era, a, b, seq, count, settled_at)
            SELECT l.lane_id, c.era, l.a, l.b, l.seq, 0, l.moved_at
              FROM last l CROSS JOIN posthorn.cluster c
             WHERE NOT EXISTS (
                   SELECT FROM (SELECT r.a, r.b, r.seq FROM posthorn.receipt r WHERE r.lane_id = l.lane_id
                                 ORDER BY r.settled_at DESC LIMIT 1) told
                    WHERE told.a::text = l.a::text AND told.b::text = l.b::text AND told.seq = l.seq)
            """;

    /** A replay that starts now has either written its items by then, or finds no subscription; nor does a generation begin. */
    private static final String LOCK = "SELECT id FROM posthorn.subscription WHERE name = :name FOR UPDATE";

    /** Items to a subscription that is gone are sent by nobody. */
    private static final String SKIP_ITEMS = """
            UPDATE posthorn.replay_item
               SET state = 'SKIPPED', reason = 'subscription-deleted', ended_at = posthorn.clock()
             WHERE subscription_id = :id AND state = 'PENDING'
            """;

    private static final String END_REPLAYS = """
            UPDATE posthorn.replay r SET state = 'FINISHED', state_reason = NULL, ended_at = posthorn.clock()
             WHERE r.ended_at IS NULL
               AND NOT EXISTS (SELECT FROM posthorn.replay_item i WHERE i.replay_id = r.id AND i.state = 'PENDING')
               AND r.id IN (SELECT p.replay_id FROM posthorn.replay_subscription p WHERE p.subscription_id = :id)
            """;

    private static final String HAS_SETTLED = """
            SELECT 1 WHERE EXISTS (SELECT FROM posthorn.lane n JOIN posthorn.receipt r ON r.lane_id = n.id
                                    WHERE n.subscription_id = :id AND r.count > 0)
                        OR EXISTS (SELECT FROM posthorn.front_receipt f
                                    WHERE f.settled_at >= (SELECT created_at FROM posthorn.subscription WHERE id = :id)
                                      AND f.lanes && ARRAY(SELECT id FROM posthorn.lane WHERE subscription_id = :id))
            """;

    private static final String REMEMBER = """
            INSERT INTO posthorn.deleted_subscription (id, name, generation, last_seq)
            SELECT s.id, s.name, s.generation, q.last_value FROM posthorn.subscription s CROSS JOIN posthorn.event_seq q
             WHERE s.id = :id
            """;

    /** Of events that the log has no more, nothing is told. */
    private static final String REMEMBER_UNDELIVERED = """
            INSERT INTO posthorn.undelivered (subscription_id, seq)
            SELECT :id, u.seq
              FROM (SELECT d.seq FROM posthorn.lane n JOIN posthorn.delivery d ON d.lane_id = n.id
                     WHERE n.subscription_id = :id AND (d.replay_id IS NULL OR d.dead_letter_id IS NOT NULL)
                    UNION
                    SELECT l.seq FROM posthorn.dead_letter l WHERE l.subscription_id = :id) u
             WHERE u.seq >= (SELECT min(e.seq) FROM posthorn.event e)
            """;

    private static final List<String> OF_LANES = List.of("delivery", "lane_gauge", "lane_drain");

    private static final String DELETE_OF_LANES = """
            DELETE FROM posthorn.{table} WHERE lane_id IN (SELECT id FROM posthorn.lane WHERE subscription_id = :id)
            """;

    /** After the marks, so that no settle adds more of them. When an event was delivered is still told. */
    private static final String DELETE_ATTEMPTS =
            "DELETE FROM posthorn.attempt WHERE subscription_id = :id AND (outcome <> 'DELIVERED' OR NOT :remembered)";

    /** Its dead letters, commands and the like go with it, and unless it is remembered its lanes and generations. */
    private static final String DELETE = "DELETE FROM posthorn.subscription WHERE id = :id";

    private final Queries.Transaction transaction;
    private final String name;

    private Removal(Queries.Transaction transaction, String name) {
        this.transaction = transaction;
        this.name = name;
    }

    /** False if there is none of that name. */
    static boolean remove(Queries.Transaction transaction, String name) throws SQLException {
        return new Removal(transaction, name).run();
    }

    private boolean run() throws SQLException {
        Map<String, String> named = Map.of("name", name);
        refuseWhileServed();
        int unreceipted = fenceOff(named);
        List<Long> ids = transaction.list(LOCK, named, row -> row.getLong("id"));
        if (ids.isEmpty()) {
            return false;
        }
        // A generation may have begun before the lock, with lanes that were not there to be fenced off.
        unreceipted += fenceOff(named);
        Map<String, Long> values = Map.of("id", ids.get(0));
        transaction.update(SKIP_ITEMS, values);
        transaction.update(END_REPLAYS, values);
        boolean remembered = unreceipted > 0
                || transaction.first(HAS_SETTLED, values, row -> true).isPresent();
        if (remembered) {
            transaction.update(REMEMBER, values);
            transaction.update(REMEMBER_UNDELIVERED, values);
        }
        transaction.update(DELETE_ATTEMPTS, Map.of("id", ids.get(0), "remembered", remembered));
        for (String table : OF_LANES) {
            transaction.update(DELETE_OF_LANES.replace("{table}", table), values);
        }
        transaction.update(DELETE, values);
        return true;
    }

    private int fenceOff(Map<String, String> named) throws SQLException {
        transaction.update(DELETE_OWNERS, named);
        return transaction.update(DELETE_MARKS, named);
    }

    private void refuseWhileServed() throws SQLException {
        List<String> serving = transaction.list(INSTANCES, Map.of("name", name), row -> row.getString("instance"));
        if (!serving.isEmpty()) {
            throw Requests.conflict("subscription '" + name + "' is served by instance " + String.join(", ", serving)
                    + "; stop it, or take the subscription out of its settings, and delete then");
        }
    }
}
