package dev.posthorn.relay.postgres;

import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Sql;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.Subscription;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps subscriptions, lanes and leases in PostgreSQL. */
public final class PostgresLeaseStore implements LeaseStore {

    private static final String MAKE_SUBSCRIPTION = """
            INSERT INTO posthorn.subscription (name, revision) VALUES (:name, :revision)
                ON CONFLICT (name) DO NOTHING RETURNING id
            """;

    private static final String FIND_SUBSCRIPTION = "SELECT id FROM posthorn.subscription WHERE name = :name";

    /**
     * By a clock that was set back, or a stand-by's that is behind, whoever died before would own its lanes until the clock
     * is there again: nobody's time is longer than ten leases from now.
     */
    private static final String APPEAR = """
            WITH latest AS (SELECT posthorn.clock() + 10 * :ttl * interval '1 millisecond' AS time),
            leases AS (
                UPDATE posthorn.lane_lease SET expires_at = (SELECT time FROM latest) WHERE lane_id IN (
                    SELECT l.lane_id FROM posthorn.lane n JOIN posthorn.lane_lease l ON l.lane_id = n.id
                     WHERE n.subscription_id = :subscription AND l.expires_at > (SELECT time FROM latest)
                       FOR NO KEY UPDATE OF l SKIP LOCKED)),
            others AS (
                UPDATE posthorn.instance SET expires_at = (SELECT time FROM latest)
                 WHERE subscription_id = :subscription AND id <> :instance AND expires_at > (SELECT time FROM latest))
            INSERT INTO posthorn.instance (subscription_id, id, expires_at, quiet)
            SELECT id, :instance, posthorn.clock() + :ttl * interval '1 millisecond', paused AND :silent
              FROM posthorn.subscription WHERE id = :subscription
                ON CONFLICT (subscription_id, id)
                DO UPDATE SET expires_at = excluded.expires_at, quiet = excluded.quiet
            """;

    private static final String DISAPPEAR = "DELETE FROM posthorn.instance WHERE id = :instance";

    private static final String DISAPPEAR_FROM =
            "DELETE FROM posthorn.instance WHERE id = :instance AND subscription_id = :subscription";

    /** Not given up: whoever takes these lanes over does so by force, and counts it. */
    private static final String EXPIRE = """
            UPDATE posthorn.lane_lease SET expires_at = posthorn.clock() - interval '1 second'
             WHERE owner = :instance AND expires_at >= posthorn.clock()
            """;

    private static final String RENEW = """
            UPDATE posthorn.lane_lease l
               SET expires_at = posthorn.clock() + :ttl * interval '1 millisecond'
              FROM unnest(:lanes::bigint[], :epochs::bigint[]) AS held (lane_id, epoch)
             WHERE l.lane_id = held.lane_id AND l.epoch = held.epoch AND l.owner = :instance
            RETURNING l.lane_id
            """;

    private static final String ENDED = """
            SELECT held.lane_id FROM unnest(:lanes::bigint[]) AS held (lane_id)
             WHERE NOT EXISTS (SELECT FROM posthorn.lane_lease l WHERE l.lane_id = held.lane_id)
            """;

    private static final String RELEASE = """
            UPDATE posthorn.lane_lease SET owner = NULL, expires_at = NULL
             WHERE lane_id = :lane AND epoch = :epoch AND owner = :instance
            """;

    /** What was to be let go is void once the partitions are gone: new owners need not look for it. */
    private static final String SHARING = """
            SELECT s.generation, s.stop_at::text AS stop_at, s.paused,
                   CASE WHEN EXISTS (SELECT FROM posthorn.event_partition p WHERE p.from_seq < s.let_go_seq)
                        THEN s.let_go_seq ELSE 0 END AS let_go_seq,
                   g.lanes, {filter},
                   s.revision, w.change,
                   ARRAY(SELECT i.id FROM posthorn.instance i
                          WHERE i.subscription_id = s.id AND i.expires_at > posthorn.clock() ORDER BY i.id) AS instances
              FROM posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              LEFT JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
             WHERE s.id = :subscription
            """.replace("{filter}", Generations.filterColumns("g", ""));

    /**
     * Lease and mark get the new epoch together: from here on the former owner settles nothing. Never waits: a former
     * owner that stands still in the middle of a settle holds its mark. The epoch is random: were it counted, a take-over
     * that a crash of the database has undone would share its epoch with the next.
     */
    private static final String ACQUIRE = """
            WITH free AS (
                SELECT l.lane_id, l.owner IS NOT NULL AS by_force
                  FROM posthorn.lane_lease l
                  JOIN posthorn.lane n ON n.id = l.lane_id
                  JOIN posthorn.lane_mark m ON m.lane_id = l.lane_id
                 WHERE n.subscription_id = :subscription AND n.generation = :generation
                   AND (l.owner IS NULL OR l.expires_at < posthorn.clock())
                 ORDER BY n.index LIMIT :count FOR NO KEY UPDATE OF l, m SKIP LOCKED),
            taken AS (
                UPDATE posthorn.lane_lease l
                   SET owner = :instance, epoch = :epoch,
                       expires_at = posthorn.clock() + :ttl * interval '1 millisecond'
                  FROM free WHERE l.lane_id = free.lane_id
                RETURNING l.lane_id, l.epoch, free.by_force),
            marked AS (
                UPDATE posthorn.lane_mark m
                   SET epoch = taken.epoch, takeovers = m.takeovers + taken.by_force::integer
                  FROM taken WHERE m.lane_id = taken.lane_id
                RETURNING m.lane_id, m.epoch, m.a)
            SELECT m.lane_id, n.subscription_id, m.epoch, n.index,
                   n.since, c.floor_seq, d.lane_id IS NOT NULL AND m.a::text = '1:1:' AS draining,
                   d.a::text AS drain_a, d.b::text AS drain_b, d.seq AS drain_seq, d.read_seq AS drain_read,
                   d.floor_seq AS drain_floor, d.to_seq AS drain_to
              FROM marked m JOIN posthorn.lane n ON n.id = m.lane_id CROSS JOIN posthorn.cluster c
              LEFT JOIN posthorn.lane_drain d ON d.lane_id = m.lane_id
            """;

    private final Session session;
    private final String instance;
    private final Ticker ticker;
    private final SecureRandom random = new SecureRandom();
    private final boolean makes;
    private final Statements statements;
    private final Generations generations;

    public PostgresLeaseStore(Session session, String instance, Ticker ticker) {
        this(session, instance, ticker, true);
    }

    /** Makes subscriptions that are not there, or leaves that to others. */
    public PostgresLeaseStore(Session session, String instance, Ticker ticker, boolean makes) {
        this.session = session;
        this.makes = makes;
        this.instance = instance;
        this.ticker = ticker;
        this.statements = new Statements(session);
        this.generations = new Generations(statements);
    }

    @Override
    public long connection() {
        return session.opening();
    }

    @Override
    public long register(Subscription subscription) {
        return session.transaction("registering a subscription", connection -> {
            Map<String, Object> name = Map.of("name", subscription.name(), "revision", subscription.revision());
            Long made = makes ? statements.number(connection, MAKE_SUBSCRIPTION, name) : null;
            if (made != null) {
                generations.makeFirst(connection, made, subscription);
                return made;
            }
            Long found = statements.number(connection, FIND_SUBSCRIPTION, name);
            if (found == null && makes) {
                throw new SQLException("subscription " + subscription.name() + " was deleted just now");
            }
            return found == null ? NOT_THERE : found;
        });
    }

    @Override
    public void request(long subscriptionId, Subscription subscription) {
        session.transaction(
                "asking for another generation",
                connection -> generations.request(connection, subscriptionId, subscription));
    }

    @Override
    public boolean appear(long subscriptionId, Subscription subscription, boolean silent) {
        Map<String, Object> values = Map.of(
                "subscription", subscriptionId, "instance", instance, "ttl", ttl(subscription), "silent", silent);
        return session.update("appearing", sql(APPEAR), values) > 0;
    }

    @Override
    public void disappear(long subscriptionId) {
        session.update(
                "disappearing", sql(DISAPPEAR_FROM), Map.of("instance", instance, "subscription", subscriptionId));
    }

    @Override
    public void disappear() {
        session.update("disappearing", sql(DISAPPEAR), Map.of("instance", instance));
    }

    /** The instance has ended without giving anything up: its leases and its share are free at once. */
    public void expire() {
        session.update("ending the leases of " + instance, sql(EXPIRE), Map.of("instance", instance));
        disappear();
    }

    @Override
    public Set<Long> renew(List<Lease> leases, Subscription subscription) {
        Map<String, Object> values = Map.of(
                "lanes", laneIds(leases),
                "epochs", leases.stream().map(Lease::epoch).toArray(Long[]::new),
                "instance", instance,
                "ttl", ttl(subscription));
        return session.query("renewing leases", sql(RENEW), values, PostgresLeaseStore::numbers);
    }

    @Override
    public Set<Long> ended(List<Lease> leases) {
        return session.query(
                "looking for lanes that are no more",
                sql(ENDED),
                Map.of("lanes", laneIds(leases)),
                PostgresLeaseStore::numbers);
    }

    private static Long[] laneIds(List<Lease> leases) {
        return leases.stream().map(Lease::laneId).toArray(Long[]::new);
    }

    private static Set<Long> numbers(ResultSet rows) throws SQLException {
        Set<Long> numbers = new HashSet<>();
        while (rows.next()) {
            numbers.add(rows.getLong(1));
        }
        return numbers;
    }

    @Override
    public void release(Lease lease) {
        session.update(
                "giving up a lane",
                sql(RELEASE),
                Map.of("lane", lease.laneId(), "epoch", lease.epoch(), "instance", instance));
    }

    @Override
    public Sharing sharing(long subscriptionId) {
        Map<String, Object> values = Map.of("subscription", subscriptionId);
        return session.query("looking at a subscription", sql(SHARING), values, row -> {
            if (!row.next()) {
                throw new SQLException("subscription " + subscriptionId + " was deleted");
            }
            String stopAt = row.getString("stop_at");
            return new Sharing(
                    row.getInt("generation"),
                    row.getInt("lanes"),
                    Generations.filter(row, ""),
                    List.of((String[]) row.getArray("instances").getArray()),
                    row.getLong("revision"),
                    row.getObject("change", UUID.class),
                    stopAt == null ? null : new Snapshot(stopAt),
                    row.getBoolean("paused"),
                    row.getLong("let_go_seq"));
        });
    }

    @Override
    public List<LaneGrant> acquire(long subscriptionId, Subscription subscription, Sharing sharing, int count) {
        long started = ticker.nanos();
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscription", subscriptionId);
        values.put("generation", sharing.generation());
        values.put("count", count);
        values.put("instance", instance);
        values.put("ttl", ttl(subscription));
        values.put("epoch", random.nextLong());
        return session.query("taking over lanes", sql(ACQUIRE), values, rows -> {
            List<LaneGrant> grants = new ArrayList<>();
            while (rows.next()) {
                grants.add(grant(rows, subscription, sharing, started));
            }
            return grants;
        });
    }

    private LaneGrant grant(ResultSet row, Subscription subscription, Sharing sharing, long started)
            throws SQLException {
        int index = row.getInt("index");
        Lease lease = new Lease(row.getLong("lane_id"), row.getLong("epoch"), subscription.leaseTtl(), started, ticker);
        LaneScope scope = new LaneScope(
                sharing.filter(), sharing.lanes(), index, row.getLong("floor_seq"), since(row), drain(row));
        return new LaneGrant(subscription.name() + "/" + index, row.getLong("subscription_id"), lease, scope);
    }

    private static @Nullable Instant since(ResultSet row) throws SQLException {
        OffsetDateTime since = row.getObject("since", OffsetDateTime.class);
        return since == null ? null : since.toInstant();
    }

    private static LaneScope.@Nullable Drain drain(ResultSet row) throws SQLException {
        return row.getBoolean("draining")
                ? new LaneScope.Drain(
                        drained(row), row.getLong("drain_read"), row.getLong("drain_floor"), row.getLong("drain_to"))
                : null;
    }

    private static Mark drained(ResultSet row) throws SQLException {
        return new Mark(
                new Snapshot(row.getString("drain_a")),
                new Snapshot(row.getString("drain_b")),
                row.getLong("drain_seq"));
    }

    @Override
    public void advanceChange(long subscriptionId) {
        session.transaction(
                "changing to another generation", connection -> generations.advance(connection, subscriptionId));
    }

    private Sql sql(String text) {
        return statements.sql(text);
    }

    private static long ttl(Subscription subscription) {
        return subscription.leaseTtl().toMillis();
    }
}
