package dev.posthorn.relay.postgres;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Sql;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Look;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Sharing;
import dev.posthorn.subscription.Subscription;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Keeps subscriptions, lanes and sessions in PostgreSQL. */
public final class PostgresLeaseStore implements LeaseStore {

    /** Whether there is anything to {@link #TIDY}, so that a renewal waits for nothing that others do. */
    private static final String UNTIDY = """
            EXISTS (SELECT FROM posthorn.session o WHERE o.id <> :session::uuid
                       AND (o.expires_at < posthorn.clock() OR o.expires_at > posthorn.clock() + 10 * o.ttl))""";

    /** A session without a lane has nothing to obey: its first orders come from a look that is yet to be. */
    private static final String OPEN = """
            INSERT INTO posthorn.session (id, instance, link, ttl, expires_at, obeys)
            SELECT :session::uuid, :instance, :link::uuid, length, posthorn.clock() + length, pg_current_snapshot()
              FROM (SELECT :ttl * interval '1 millisecond' AS length) l
            RETURNING {untidy}
            """.replace("{untidy}", UNTIDY);

    /**
     * What has expired is not renewed: others have counted on that, and said that a subscription is quiet.
     */
    private static final String RENEW = """
            UPDATE posthorn.session
               SET expires_at = posthorn.clock() + :ttl * interval '1 millisecond',
                   link = :link::uuid, obeys = coalesce(:obeys::pg_snapshot, obeys)
             WHERE id = :session::uuid AND expires_at > posthorn.clock() AND (link = :link::uuid OR :adopts)
            RETURNING {untidy}
            """.replace("{untidy}", UNTIDY);

    /**
     * Ends the sessions that have expired. Who is being renewed at this moment is alive: never waits. By a clock that was
     * set back, or a stand-by's that is behind, whoever died before would own its lanes until the clock is there again:
     * nobody's time is longer than ten of its own TTLs from now.
     */
    private static final String TIDY = """
            WITH late AS (
                UPDATE posthorn.session SET expires_at = posthorn.clock() + 10 * ttl WHERE id IN (
                    SELECT id FROM posthorn.session
                     WHERE id <> :session::uuid AND expires_at > posthorn.clock() + 10 * ttl
                       FOR NO KEY UPDATE SKIP LOCKED))
            DELETE FROM posthorn.session WHERE id IN (
                SELECT id FROM posthorn.session WHERE id <> :session::uuid AND expires_at < posthorn.clock()
                   FOR UPDATE SKIP LOCKED)
            """;

    /** Not given up: whoever takes these lanes over does so by force, and counts it. */
    private static final String END_OF = "DELETE FROM posthorn.session WHERE instance = :instance";

    private static final String SERVE = """
            WITH gone AS (
                DELETE FROM posthorn.served
                 WHERE session_id = :session::uuid AND subscription_id = ANY (:ended::bigint[]))
            INSERT INTO posthorn.served (subscription_id, session_id)
            SELECT s.id, :session::uuid FROM posthorn.subscription s WHERE s.id = ANY (:begun::bigint[])
                ON CONFLICT DO NOTHING
            """;

    /**
     * As the log is read: what had not ended in the former snapshot and has ended in this statement's own. What was to be
     * let go is void once the partitions are gone: new owners need not look for it.
     */
    private static final String LOOK = """
            WITH now AS MATERIALIZED (SELECT pg_current_snapshot() AS b, :since::pg_snapshot AS a),
            asked AS (
                SELECT unnest(:others::bigint[]) AS id
                UNION
                SELECT c.subscription_id FROM posthorn.subscription_change c
                 WHERE c.txid >= (SELECT pg_snapshot_xmax(a) FROM now)
                UNION
                SELECT c.subscription_id FROM posthorn.subscription_change c
                 WHERE c.txid = ANY (ARRAY(SELECT pg_snapshot_xip(a) FROM now))
                UNION
                SELECT v.subscription_id FROM posthorn.served v
                 WHERE :since::pg_snapshot IS NULL AND v.session_id = :session::uuid)
            SELECT now.b::text AS snapshot, asked.id, s.generation, s.stop_at::text AS stop_at, s.paused,
                   CASE WHEN EXISTS (SELECT FROM posthorn.event_partition p WHERE p.from_seq < s.let_go_seq)
                        THEN s.let_go_seq ELSE 0 END AS let_go_seq,
                   g.lanes, {filter}, s.revision, w.change,
                   coalesce(
                       (SELECT true FROM posthorn.command c
                         WHERE c.subscription_id = s.id AND c.answered_at IS NULL LIMIT 1),
                       (SELECT true FROM posthorn.replay_subscription p JOIN posthorn.replay r ON r.id = p.replay_id
                         WHERE p.subscription_id = s.id AND r.state = 'RUNNING' LIMIT 1),
                       false) AS asks,
                   ARRAY(SELECT o.id FROM posthorn.served v JOIN posthorn.session o ON o.id = v.session_id
                          WHERE v.subscription_id = s.id ORDER BY o.instance, o.id) AS sessions
              FROM now
              LEFT JOIN asked ON true
              LEFT JOIN posthorn.subscription s ON s.id = asked.id
              LEFT JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              LEFT JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
            """.replace("{filter}", Generations.filterColumns("g", ""));

    /**
     * This session, if it is alive and speaks on this connection; it stays both until the statement is over. What the
     * server still does of what was asked on a former connection finds no session here.
     */
    private static final String MINE = """
            mine AS MATERIALIZED (
                SELECT id FROM posthorn.session
                 WHERE id = :session::uuid AND link = :link::uuid AND expires_at > posthorn.clock() FOR SHARE)
            """;

    /**
     * Owner and mark get the new epoch together: from here on the former owner settles nothing. Free is what was given up
     * and what belongs to a session that has ended: this statement begins after that. Never waits: a former owner that
     * stands still in the middle of a settle holds its mark. The epoch is random: were it counted, a take-over that a
     * crash of the database has undone would share its epoch with the next.
     *
     * <p>A lane that was taken since this statement began has another epoch than it was seen with. Without a look at that,
     * its new owner, a session that began even later, would look like one that has ended.
     */
    private static final String ACQUIRE = """
            WITH {mine},
            free AS MATERIALIZED (
                SELECT f.lane_id, f.by_force, f.front
                  FROM mine
                 CROSS JOIN unnest(:subscriptions::bigint[], :generations::bigint[], :counts::bigint[])
                       AS claim (subscription_id, generation, count)
                 CROSS JOIN LATERAL (
                       SELECT o.lane_id, o.session_id IS NOT NULL AS by_force, m.front
                         FROM posthorn.lane n
                         JOIN posthorn.lane_owner seen ON seen.lane_id = n.id
                         JOIN posthorn.lane_owner o ON o.lane_id = n.id AND o.epoch = seen.epoch
                         JOIN posthorn.lane_mark m ON m.lane_id = n.id
                         LEFT JOIN posthorn.front r ON r.id = m.front
                        WHERE n.subscription_id = claim.subscription_id AND n.generation = claim.generation
                          AND (o.session_id IS NULL
                               OR NOT EXISTS (SELECT FROM posthorn.session s WHERE s.id = o.session_id))
                          AND (m.front IS NULL OR r.ended)
                        ORDER BY n.index LIMIT claim.count FOR NO KEY UPDATE OF o, m SKIP LOCKED) f),
            taken AS (
                UPDATE posthorn.lane_owner o SET session_id = :session::uuid, epoch = :epoch
                  FROM free WHERE o.lane_id = free.lane_id
                RETURNING o.lane_id, o.epoch, free.by_force, free.front),
            marked AS (
                UPDATE posthorn.lane_mark m
                   SET epoch = taken.epoch, takeovers = m.takeovers + taken.by_force::integer,
                       a = coalesce(r.a, m.a), b = coalesce(r.b, m.b), seq = coalesce(r.seq, m.seq),
                       high_a = CASE WHEN taken.front IS NULL THEN m.high_a END,
                       high_b = CASE WHEN taken.front IS NULL THEN m.high_b END,
                       high_seq = CASE WHEN taken.front IS NULL THEN m.high_seq ELSE r.seq END,
                       read_seq = greatest(m.read_seq, r.read_seq), moved_at = coalesce(r.moved_at, m.moved_at),
                       front = NULL
                  FROM taken LEFT JOIN posthorn.front r ON r.id = taken.front
                 WHERE m.lane_id = taken.lane_id
                RETURNING m.lane_id, m.epoch, m.a)
            SELECT m.lane_id, n.subscription_id, m.epoch, n.index,
                   n.since, c.floor_seq, d.lane_id IS NOT NULL AND m.a::text = '1:1:' AS draining,
                   d.a::text AS drain_a, d.b::text AS drain_b, d.seq AS drain_seq, d.read_seq AS drain_read,
                   d.floor_seq AS drain_floor, d.to_seq AS drain_to
              FROM marked m JOIN posthorn.lane n ON n.id = m.lane_id CROSS JOIN posthorn.cluster c
              LEFT JOIN posthorn.lane_drain d ON d.lane_id = m.lane_id
             ORDER BY n.subscription_id, n.index
            """.replace("{mine}", MINE.strip());

    /**
     * Of sessions that have ended; and any that carries a lane which was given up: a stand-by that was promoted may have
     * forgotten that the lane had got off. Never waits: a front that is being moved ends next time.
     */
    private static final String END_FRONTS = """
            UPDATE posthorn.front SET ended = true WHERE id IN (
                SELECT f.id FROM posthorn.front f
                 WHERE NOT f.ended
                   AND (NOT EXISTS (SELECT FROM posthorn.session s WHERE s.id = f.session_id)
                        OR f.id IN (SELECT m.front FROM posthorn.lane_owner o
                                      JOIN posthorn.lane_mark m ON m.lane_id = o.lane_id
                                     WHERE o.session_id IS NULL AND m.front IS NOT NULL))
                   FOR NO KEY UPDATE OF f SKIP LOCKED)
            """;

    private static final String RELEASE = """
            UPDATE posthorn.lane_owner o SET session_id = NULL
              FROM unnest(:lanes::bigint[], :epochs::bigint[]) AS held (lane_id, epoch)
             WHERE o.lane_id = held.lane_id AND o.epoch = held.epoch AND o.session_id = :session::uuid
            """;

    private static final String RELEASE_OTHERS = """
            WITH {mine}
            UPDATE posthorn.lane_owner o SET session_id = NULL
              FROM mine
             WHERE o.session_id = mine.id AND NOT EXISTS (
                   SELECT FROM unnest(:lanes::bigint[], :epochs::bigint[]) AS held (lane_id, epoch)
                    WHERE held.lane_id = o.lane_id AND held.epoch = o.epoch)
            """.replace("{mine}", MINE.strip());

    private static final String NOT_OWNED = """
            SELECT held.lane_id, o.lane_id IS NULL AS ended
              FROM unnest(:lanes::bigint[], :epochs::bigint[]) AS held (lane_id, epoch)
              LEFT JOIN posthorn.lane_owner o ON o.lane_id = held.lane_id
             WHERE o.lane_id IS NULL OR o.epoch <> held.epoch OR o.session_id IS DISTINCT FROM :session::uuid
            """;

    private static final String TRIM = """
            DELETE FROM posthorn.subscription_change
             WHERE txid < (SELECT pg_snapshot_xmin(obeys) FROM posthorn.session
                            ORDER BY pg_snapshot_xmin(obeys) LIMIT 1)
            """;

    /** With lanes that have not come to an end it stays until its time: what they have sent may still be on its way. */
    private static final String CLOSE = """
            WITH gone AS (DELETE FROM posthorn.served WHERE session_id = :session::uuid)
            DELETE FROM posthorn.session s
             WHERE s.id = :session::uuid
               AND NOT EXISTS (SELECT FROM posthorn.lane_owner o WHERE o.session_id = s.id)
            """;

    private final Session session;
    private final String instance;
    private final SecureRandom random = new SecureRandom();
    private final boolean makes;
    private final Statements statements;
    private final Generations generations;
    private final Registry registry;

    /** This process's session, and the connection on which it speaks. */
    private UUID id = UUID.randomUUID();

    private UUID link = UUID.randomUUID();

    /** Whether the session is still to be told that this is its connection. */
    private boolean adopts;

    public PostgresLeaseStore(Session session, String instance) {
        this(session, instance, true);
    }

    /** Makes subscriptions that are not there, or leaves that to others. */
    public PostgresLeaseStore(Session session, String instance, boolean makes) {
        this.session = session.bound();
        this.makes = makes;
        this.instance = instance;
        this.statements = new Statements(this.session);
        this.generations = new Generations(statements);
        this.registry = new Registry(this.session, statements, generations);
    }

    @Override
    public void begin() {
        session.begin();
        link = UUID.randomUUID();
        adopts = true;
    }

    @Override
    public boolean isCurrent() {
        return session.isCurrent();
    }

    @Override
    public Registered register(List<Subscription> subscriptions) {
        return registry.register(subscriptions, makes);
    }

    @Override
    public List<PosthornException> request(Map<Long, Subscription> wishes) {
        return registry.request(wishes);
    }

    @Override
    public UUID open(Duration ttl) {
        id = UUID.randomUUID();
        Map<String, @Nullable Object> values = own();
        values.put("instance", instance);
        values.put("ttl", ttl.toMillis());
        keep("beginning a session", OPEN, values);
        return id;
    }

    @Override
    public boolean renew(Duration ttl, @Nullable Snapshot obeys) {
        Map<String, @Nullable Object> values = own();
        values.put("ttl", ttl.toMillis());
        values.put("obeys", obeys);
        values.put("adopts", adopts);
        return keep("renewing the session", RENEW, values);
    }

    /** False if there is no such session. */
    private boolean keep(String what, String statement, Map<String, @Nullable Object> values) {
        Optional<Boolean> untidy = session.query(
                what, sql(statement), values, row -> row.next() ? Optional.of(row.getBoolean(1)) : Optional.empty());
        adopts = false;
        if (untidy.orElse(false)) {
            session.update("ending sessions that have expired", sql(TIDY), own());
        }
        return untidy.isPresent();
    }

    /** The process has ended without giving anything up: its session ends at once. */
    public void endSessionsOf(String dead) {
        begin();
        session.update("ending the sessions of " + dead, sql(END_OF), Map.of("instance", dead));
    }

    @Override
    public Doubted reconcile(Collection<Lease> held) {
        Map<String, @Nullable Object> values = held(held);
        session.update("giving up lanes that are not held", sql(RELEASE_OTHERS), values);
        Set<Long> lost = new HashSet<>();
        Set<Long> ended = new HashSet<>();
        return session.query("looking which lanes are owned", sql(NOT_OWNED), values, rows -> {
            while (rows.next()) {
                (rows.getBoolean("ended") ? ended : lost).add(rows.getLong("lane_id"));
            }
            return new Doubted(lost, ended);
        });
    }

    @Override
    public void serve(Collection<Long> begun, Collection<Long> ended) {
        Map<String, @Nullable Object> values = own();
        values.put("begun", begun.toArray(Long[]::new));
        values.put("ended", ended.toArray(Long[]::new));
        session.update("saying what is served", sql(SERVE), values);
    }

    @Override
    public Look look(@Nullable Snapshot since, Collection<Long> others) {
        Map<String, @Nullable Object> values = own();
        values.put("since", since);
        values.put("others", others.toArray(Long[]::new));
        return session.query("looking at subscriptions", sql(LOOK), values, rows -> {
            Map<Long, Optional<Sharing>> seen = new LinkedHashMap<>();
            String snapshot = "";
            while (rows.next()) {
                snapshot = rows.getString("snapshot");
                if (rows.getObject("id") != null) {
                    seen.put(rows.getLong("id"), sharing(rows));
                }
            }
            return new Look(new Snapshot(snapshot), seen);
        });
    }

    private static Optional<Sharing> sharing(ResultSet row) throws SQLException {
        if (row.getObject("generation") == null) {
            return Optional.empty();
        }
        String stopAt = row.getString("stop_at");
        return Optional.of(new Sharing(
                row.getInt("generation"),
                row.getInt("lanes"),
                Generations.filter(row, ""),
                List.of((UUID[]) row.getArray("sessions").getArray()),
                row.getLong("revision"),
                row.getObject("change", UUID.class),
                stopAt == null ? null : new Snapshot(stopAt),
                row.getBoolean("paused"),
                row.getLong("let_go_seq"),
                row.getBoolean("asks")));
    }

    @Override
    public List<LaneGrant> acquire(List<Claim> claims, SessionTrust trust) {
        Map<Long, Claim> byId = new HashMap<>();
        claims.forEach(claim -> byId.put(claim.subscriptionId(), claim));
        Map<String, @Nullable Object> values = own();
        values.put("subscriptions", numbers(claims, Claim::subscriptionId));
        values.put(
                "generations", numbers(claims, claim -> (long) claim.sharing().generation()));
        values.put("counts", numbers(claims, claim -> (long) claim.count()));
        values.put("epoch", random.nextLong());
        session.update("ending the fronts of others that have ended", sql(END_FRONTS), Map.of());
        return session.query("taking over lanes", sql(ACQUIRE), values, rows -> {
            List<LaneGrant> grants = new ArrayList<>();
            while (rows.next()) {
                Claim claim = Objects.requireNonNull(byId.get(rows.getLong("subscription_id")));
                grants.add(grant(rows, claim.subscription(), claim.sharing(), trust));
            }
            return grants;
        });
    }

    private static LaneGrant grant(ResultSet row, Subscription subscription, Sharing sharing, SessionTrust trust)
            throws SQLException {
        int index = row.getInt("index");
        Lease lease = new Lease(row.getLong("lane_id"), row.getLong("epoch"), trust);
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
    public void release(Collection<Lease> leases) {
        session.update("giving up lanes", sql(RELEASE), held(leases));
    }

    @Override
    public List<PosthornException> advance(Collection<Long> subscriptionIds) {
        List<PosthornException> refused = new ArrayList<>();
        String what = "changing to another generation";
        for (long due : generations.due(session, subscriptionIds)) {
            session.transaction(
                    what,
                    connection ->
                            statements.attempt(connection, what, () -> generations.advance(connection, due), refused));
        }
        return refused;
    }

    @Override
    public void trim() {
        session.update("forgetting changes that all have seen", sql(TRIM), Map.of());
    }

    @Override
    public void close() {
        session.update("ending the session", sql(CLOSE), own());
    }

    private Map<String, @Nullable Object> own() {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("session", id);
        values.put("link", link);
        return values;
    }

    private Map<String, @Nullable Object> held(Collection<Lease> leases) {
        Map<String, @Nullable Object> values = own();
        values.put("lanes", numbers(leases, Lease::laneId));
        values.put("epochs", numbers(leases, Lease::epoch));
        return values;
    }

    private static <T> Long[] numbers(Collection<T> all, Function<T, Long> number) {
        return all.stream().map(number).toArray(Long[]::new);
    }

    private Sql sql(String text) {
        return statements.sql(text);
    }
}
