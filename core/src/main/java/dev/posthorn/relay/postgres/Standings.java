package dev.posthorn.relay.postgres;

import dev.posthorn.log.Mark;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.relay.store.Ticker;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads where lanes stand, up to a thousand with one statement: a process that takes over tens of thousands could not ask
 * for each. A worker has one, with the session of its lanes, and uses it from its thread alone.
 *
 * <p>What is read ahead for a lane is as good as what it would read itself. The statement finds the lane under the epoch
 * of its owner, so it comes after the take-over, and from there on nobody but that owner writes the lane's mark, rows and
 * letters. It is taken once, on the connection that it was read on, and not after a settle. Of what others write, commands
 * and replays, the lane is told apart. And the lease has grown older meanwhile, by as much as the process's clock says.
 * Snapshots that were taken on the connection since are later than the lane's mark, as if it began right then.
 */
public final class Standings {

    /** How many lanes one statement looks at. */
    private static final int AT_A_TIME = 1000;

    /** It is old at that part of the lease that it tells of: trust would end early by as much. */
    private static final int FRESH = 8;

    /**
     * Each part of what makes a lane calm is one look at an index, and no EXISTS: of that the planner may make a table of
     * all the rows there are.
     */
    private static final String STANDINGS = """
            SELECT m.lane_id, m.a::text AS a, m.b::text AS b, m.seq, m.read_seq, m.row_seq, m.turn, m.parked_for,
                   m.takeovers, m.front, g.denial_reason,
                   coalesce(g.breaker_reason IS NULL AND g.denial_reason IS NULL AND g.blocked_keys = 0, true) AS gauge_calm, extract(epoch FROM s.expires_at - posthorn.clock()) AS leased,
                   coalesce(
                       (SELECT false FROM posthorn.delivery d WHERE d.lane_id = m.lane_id LIMIT 1),
                       (SELECT false FROM posthorn.dead_letter l
                         WHERE l.subscription_id = held.subscription_id AND l.holds_key AND l.discarded_at IS NULL LIMIT 1),
                       (SELECT false FROM posthorn.command c
                         WHERE c.subscription_id = held.subscription_id AND c.answered_at IS NULL LIMIT 1),
                       (SELECT false FROM posthorn.replay_subscription p JOIN posthorn.replay r ON r.id = p.replay_id
                         WHERE p.subscription_id = held.subscription_id AND r.state = 'RUNNING' LIMIT 1),
                       true) AS calm
              FROM unnest(:lanes::bigint[], :epochs::bigint[], :subscriptions::bigint[])
                   AS held (lane_id, epoch, subscription_id)
              JOIN posthorn.lane_mark m ON m.lane_id = held.lane_id AND m.epoch = held.epoch
              LEFT JOIN posthorn.lane_owner o ON o.lane_id = m.lane_id AND o.epoch = m.epoch
              LEFT JOIN posthorn.session s ON s.id = o.session_id
              LEFT JOIN posthorn.lane_gauge g ON g.lane_id = m.lane_id
            """;

    /**
     * By a statement that begins after they have ended: from then on they move no more. By the turn of a front's last move
     * those that it carried know which that was.
     */
    private static final String GET_OFF = """
            UPDATE posthorn.lane_mark m
               SET a = f.a, b = f.b, seq = f.seq, high_a = NULL, high_b = NULL, high_seq = f.seq,
                   read_seq = greatest(m.read_seq, f.read_seq), moved_at = f.moved_at, turn = f.turn, front = NULL
              FROM posthorn.front f
             WHERE m.front = f.id AND f.id = ANY (:fronts::uuid[]) AND f.ended
            """;

    private final Session session;
    private final Ticker ticker;
    private final LongSupplier reads;

    /** By lane, until they are taken. */
    private final Map<Long, Ahead> ahead = new HashMap<>();

    /** How a lane under that epoch stood when it was asked for. */
    private record Ahead(long epoch, StoredLane stored, long asked, long reads) {}

    /**
     * @param session one on the connection of the lanes' own
     * @param reads how many reads at the tail were made there
     */
    public Standings(Session session, Ticker ticker, LongSupplier reads) {
        this.session = session.bound();
        this.ticker = ticker;
        this.reads = reads;
    }

    /**
     * For lanes that are about to begin, right before they do: those that were taken over, and all of them after the
     * connection was lost. Rather for some at a time, if to begin takes them long. What was read before and not taken is
     * void. If it fails, nothing was read, and each lane that begins looks itself.
     */
    public void prefetch(Collection<LaneGrant> grants) {
        ahead.clear();
        if (grants.isEmpty()) {
            return;
        }
        session.begin();
        Map<Long, Ahead> read = new HashMap<>();
        List<LaneGrant> all = new ArrayList<>(grants);
        for (int from = 0; from < all.size(); from += AT_A_TIME) {
            List<LaneGrant> some = all.subList(from, Math.min(all.size(), from + AT_A_TIME));
            long asked = ticker.nanos();
            long before = reads.getAsLong();
            Map<Long, StoredLane> found = read(session, some);
            for (LaneGrant grant : some) {
                StoredLane stored = found.get(grant.lease().laneId());
                if (stored != null) {
                    read.put(grant.lease().laneId(), new Ahead(grant.lease().epoch(), stored, asked, before));
                }
            }
        }
        ahead.putAll(read);
    }

    /** What was read ahead for the lane, if it still counts; nobody is given it again. */
    @Nullable
    StoredLane take(LaneGrant grant) {
        Ahead found = ahead.remove(grant.lease().laneId());
        if (found == null || found.epoch != grant.lease().epoch() || !session.isCurrent()) {
            return null;
        }
        Duration age = Duration.ofNanos(ticker.nanos() - found.asked);
        boolean fresh = age.multipliedBy(FRESH).compareTo(found.stored.leased()) < 0;
        return fresh ? found.stored.aged(age, found.reads) : null;
    }

    /** The lane has written something. */
    void forget(LaneGrant grant) {
        ahead.remove(grant.lease().laneId());
    }

    /**
     * By lane; those that are not owned under that epoch are missing. Whatever they ride on is of another connection and
     * they get off it first: it is ended, and what it says by then is where they stand.
     */
    static Map<Long, StoredLane> read(Session session, Collection<LaneGrant> grants) {
        Set<String> fronts = new HashSet<>();
        Map<Long, StoredLane> stored = read(session, grants, fronts);
        if (fronts.isEmpty()) {
            return stored;
        }
        String[] ids = fronts.toArray(String[]::new);
        session.update("ending fronts", session.sql(PostgresFrontStore.END), Map.of("fronts", ids));
        session.update("getting off fronts that have ended", session.sql(GET_OFF), Map.of("fronts", ids));
        return read(session, grants, new HashSet<>());
    }

    private static Map<Long, StoredLane> read(Session session, Collection<LaneGrant> grants, Set<String> fronts) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("lanes", numbers(grants, grant -> grant.lease().laneId()));
        values.put("epochs", numbers(grants, grant -> grant.lease().epoch()));
        values.put("subscriptions", numbers(grants, LaneGrant::subscriptionId));
        return session.query("looking where lanes stand", session.sql(STANDINGS), values, rows -> {
            Map<Long, StoredLane> found = new HashMap<>();
            while (rows.next()) {
                found.put(rows.getLong("lane_id"), stored(rows));
                if (rows.getString("front") != null) {
                    fronts.add(rows.getString("front"));
                }
            }
            return found;
        });
    }

    private static Long[] numbers(Collection<LaneGrant> grants, Function<LaneGrant, Long> number) {
        return grants.stream().map(number).toArray(Long[]::new);
    }

    private static StoredLane stored(ResultSet row) throws SQLException {
        return new StoredLane(
                new Mark(new Snapshot(row.getString("a")), new Snapshot(row.getString("b")), row.getLong("seq")),
                row.getLong("read_seq"),
                row.getLong("row_seq"),
                row.getLong("turn"),
                row.getObject("parked_for", UUID.class),
                row.getInt("takeovers"),
                row.getString("denial_reason"),
                row.getBoolean("gauge_calm"),
                Duration.ofNanos((long) (1e9 * row.getDouble("leased"))),
                null,
                row.getBoolean("calm"));
    }
}
