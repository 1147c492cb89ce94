package dev.posthorn.relay.postgres;

import dev.posthorn.error.Outage;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Sql;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.sink.Storable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane's progress in PostgreSQL. Every settle begins with the fenced update of the mark, which fences all that
 * follows in its transaction. There is one for every lane, so it keeps little: what a session needs for all of them, the
 * session has.
 */
public final class PostgresLaneStore implements LaneStore {

    private static final String IS_THERE = "SELECT FROM posthorn.lane_mark WHERE lane_id = :lane";

    private static final String STOP_AT =
            "SELECT stop_at::text AS stop_at FROM posthorn.subscription WHERE id = :subscription";

    /**
     * After the settle that it follows: one whose answer was lost may have been done, and comes only to its end now. Not
     * while the lane rides: then nobody writes its row but the front's worker.
     */
    private static final String MOVE = """
            UPDATE posthorn.lane_mark
               SET a = :a::pg_snapshot, b = :b::pg_snapshot, seq = :seq,
                   high_a = :high_a::pg_snapshot, high_b = :high_b::pg_snapshot, high_seq = :high_seq,
                   read_seq = greatest(read_seq, :read_seq), row_seq = greatest(row_seq, :row_seq), parked_for = :parked_for::uuid, turn = :turn,
                   moved_at = CASE WHEN :moved THEN posthorn.clock() ELSE moved_at END,
                   takeovers = CASE WHEN :undisturbed THEN 0 ELSE takeovers END
             WHERE lane_id = :lane AND turn = :former AND epoch = :epoch AND front IS NULL {place}
            RETURNING ctid::text
            """;

    /** Under somebody's open snapshot the chain of old versions grows, and a search by key walks all of it. */
    private static final String BY_PLACE = "AND ctid = :ctid::tid";

    private static final String RECEIPT = """
            INSERT INTO posthorn.receipt (lane_id, era, a, b, seq, count)
            SELECT :lane, era, :a::pg_snapshot, :b::pg_snapshot, :seq, :count FROM posthorn.cluster
            """;

    private static final String GAUGE = """
            INSERT INTO posthorn.lane_gauge AS g
                   (lane_id, breaker_since, breaker_reason, denial_since, denial_reason, blocked_keys)
            SELECT :lane, CASE WHEN breaker IS NOT NULL THEN posthorn.clock() END, breaker,
                   CASE WHEN denial IS NOT NULL THEN posthorn.clock() END, denial, :blocked_keys
              FROM (SELECT :breaker_reason::text AS breaker, :denial_reason::text AS denial) r
                ON CONFLICT (lane_id) DO UPDATE
                   SET breaker_since = CASE WHEN excluded.breaker_reason IS NOT NULL
                                            THEN coalesce(g.breaker_since, excluded.breaker_since) END,
                       breaker_reason = excluded.breaker_reason,
                       denial_since = CASE WHEN excluded.denial_reason IS NOT NULL
                                           THEN coalesce(g.denial_since, excluded.denial_since) END,
                       denial_reason = excluded.denial_reason, blocked_keys = excluded.blocked_keys,
                       updated_at = excluded.updated_at
            """;

    private static final String PAUSE = """
            UPDATE posthorn.subscription SET paused = true, pause_reason = :reason
             WHERE id = :subscription AND NOT paused
               AND EXISTS (SELECT FROM posthorn.lane_mark WHERE lane_id = :lane AND epoch = :epoch)
            RETURNING id
            """;

    /**
     * Waits for no disk: a crash of the server that forgets the last leases gives a few tokens too many. A row that says
     * it was refilled a moment later than now was met while another lease was under way; if by more, the clock was set
     * back. The millionth is what sums of fractions may be off.
     */
    private static final String LEASE_TOKENS = """
            INSERT INTO posthorn.{rates} AS r ({id}, tokens, granted, refilled_at)
            SELECT o.id, 0, 1, posthorn.clock()
              FROM posthorn.{owner} o CROSS JOIN set_config('synchronous_commit', 'off', true)
             WHERE o.id = :{owner}
                ON CONFLICT ({id}) DO UPDATE
                   SET tokens = {gathered} - least(:wanted, floor({gathered} + 0.000001)),
                       granted = least(:wanted, floor({gathered} + 0.000001)),
                       refilled_at = CASE WHEN r.refilled_at > excluded.refilled_at + interval '1 second'
                                          THEN excluded.refilled_at
                                          ELSE greatest(r.refilled_at, excluded.refilled_at) END
            RETURNING granted, tokens
            """;

    private static final String GATHERED = """
            least(:capacity::float8, r.tokens + :rate::float8
                  * greatest(0, extract(epoch FROM excluded.refilled_at - r.refilled_at)::float8))""";

    private static final String MOVE_BY_PLACE = MOVE.replace("{place}", BY_PLACE);

    private static final String MOVE_BY_KEY = MOVE.replace("{place}", "");

    private static final String LEASE_OWN_TOKENS = leaseTokens("rate", "subscription");

    private static final String LEASE_REPLAY_TOKENS = leaseTokens("replay_rate", "replay");

    private final Session session;
    private final LaneGrant grant;
    private final String instance;
    private final @Nullable Standings standings;
    private @Nullable CarefulWriter carefulWriter;
    private @Nullable String ctid;
    private @Nullable Mark written;

    /** What the last settle that was asked for comes to if it is done. */
    private Settled done = Settled.DONE;

    /** One that looks itself where the lane stands. */
    public PostgresLaneStore(Session session, LaneGrant grant, String instance) {
        this(session, grant, instance, null);
    }

    /** @param standings of the same connection */
    public PostgresLaneStore(Session session, LaneGrant grant, String instance, @Nullable Standings standings) {
        this.session = session;
        this.grant = grant;
        this.instance = instance;
        this.standings = standings;
    }

    private static String leaseTokens(String rates, String owner) {
        return LEASE_TOKENS
                .replace("{gathered}", GATHERED)
                .replace("{rates}", rates)
                .replace("{owner}", owner)
                .replace("{id}", owner + "_id");
    }

    @Override
    public @Nullable StoredLane begin() {
        session.begin();
        ctid = null;
        StoredLane ahead = standings == null ? null : standings.take(grant);
        StoredLane stored = ahead == null
                ? Standings.read(session, List.of(grant)).get(grant.lease().laneId())
                : ahead;
        written = stored == null ? null : stored.mark();
        return stored;
    }

    private Map<String, @Nullable Object> owned() {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("lane", grant.lease().laneId());
        values.put("epoch", grant.lease().epoch());
        return values;
    }

    @Override
    public boolean hasEnded() {
        Map<String, Object> values = Map.of("lane", grant.lease().laneId());
        return session.query("looking whether the lane is there", session.sql(IS_THERE), values, row -> !row.next());
    }

    @Override
    public boolean isCurrent() {
        return session.isCurrent();
    }

    @Override
    public @Nullable Snapshot stopAt() {
        Map<String, Object> values = Map.of("subscription", grant.subscriptionId());
        Optional<String> text = session.query(
                "looking where to stop",
                session.sql(STOP_AT),
                values,
                row -> row.next() ? Optional.ofNullable(row.getString("stop_at")) : Optional.empty());
        return text.map(Snapshot::new).orElse(null);
    }

    @Override
    public Settled settle(Settlement settlement) {
        done = Settled.DONE;
        if (standings != null) {
            standings.forget(grant);
        }
        Map<String, @Nullable Object> values = values(settlement);
        boolean settled = settlement.isMarkOnly()
                // One statement is a transaction of its own, without the round trips of BEGIN and COMMIT.
                ? moveAlone(values)
                : session.transaction("settling", connection -> settle(connection, settlement, values));
        if (settled) {
            written = settlement.mark();
        }
        return settled ? done : Settled.LOST;
    }

    @Override
    public boolean pause(String reason) {
        Map<String, @Nullable Object> values = owned();
        values.put("reason", Storable.text(reason));
        values.put("subscription", grant.subscriptionId());
        return session.query("pausing", session.sql(PAUSE), values, ResultSet::next);
    }

    /** None if the subscription was deleted. */
    @Override
    public Granted leaseTokens(double ratePerSecond, double capacity, int wanted) {
        Map<String, @Nullable Object> values = tokens(ratePerSecond, capacity, wanted);
        values.put("subscription", grant.subscriptionId());
        return session.query("leasing tokens", session.sql(LEASE_OWN_TOKENS), values, PostgresLaneStore::granted);
    }

    private static Map<String, @Nullable Object> tokens(double ratePerSecond, double capacity, int wanted) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("rate", ratePerSecond);
        values.put("capacity", capacity);
        values.put("wanted", wanted);
        return values;
    }

    private static Granted granted(ResultSet row) throws SQLException {
        return row.next() ? new Granted(row.getInt(1), row.getDouble(2)) : new Granted(0, 0);
    }

    private ChangeWriter writer() {
        return new ChangeWriter(session, grant, instance);
    }

    private CarefulWriter carefulWriter() {
        CarefulWriter careful = carefulWriter == null ? new CarefulWriter(session, grant, writer()) : carefulWriter;
        carefulWriter = careful;
        return careful;
    }

    private RowReader rowReader() {
        return new RowReader(session, grant);
    }

    private OwnedReplayReader replayReader() {
        return new OwnedReplayReader(session, grant);
    }

    private boolean moveAlone(Map<String, @Nullable Object> values) {
        return session.query("settling", moveByPlaceOrKey(values), values, this::moved)
                || session.query("settling", session.sql(MOVE_BY_KEY), values, this::moved);
    }

    private boolean settle(Connection connection, Settlement settlement, Map<String, @Nullable Object> values)
            throws SQLException {
        try {
            return move(connection, values) && write(connection, settlement, values);
        } catch (SQLException e) {
            if (!Outage.isRefusal(e)) {
                throw e;
            }
            connection.rollback();
            return move(connection, values) && writeCarefully(connection, settlement, values);
        }
    }

    private boolean write(Connection connection, Settlement settlement, Map<String, @Nullable Object> values)
            throws SQLException {
        writer().write(connection, settlement.changes());
        if (!settlement.changes().isEmpty()) {
            checkNow(connection);
        }
        writeReceipt(connection, settlement, values);
        if (settlement.gauge() != null) {
            session.prepare(connection, session.sql(GAUGE), values).executeUpdate();
        }
        return true;
    }

    /** In the transaction that moves the mark, like everything else. Only people miss a gauge that is not written. */
    private boolean writeCarefully(Connection connection, Settlement settlement, Map<String, @Nullable Object> values)
            throws SQLException {
        checkNow(connection);
        done = new Settled(true, carefulWriter().write(connection, settlement.changes()));
        writeReceipt(connection, settlement, values);
        if (settlement.gauge() != null) {
            CarefulWriter.refusal(
                    connection,
                    () -> session.prepare(connection, session.sql(GAUGE), values)
                            .executeUpdate());
        }
        return true;
    }

    /** Somebody's constraint that is checked at the commit would refuse all of it, and not tell which row it is about. */
    private static void checkNow(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
        }
    }

    private void writeReceipt(Connection connection, Settlement settlement, Map<String, @Nullable Object> values)
            throws SQLException {
        if (settlement.receiptCount() > 0) {
            session.prepare(connection, session.sql(RECEIPT), values).executeUpdate();
        }
    }

    private boolean move(Connection connection, Map<String, @Nullable Object> values) throws SQLException {
        return move(connection, moveByPlaceOrKey(values), values) || move(connection, session.sql(MOVE_BY_KEY), values);
    }

    private Sql moveByPlaceOrKey(Map<String, @Nullable Object> values) {
        return session.sql(values.get("ctid") == null ? MOVE_BY_KEY : MOVE_BY_PLACE);
    }

    private boolean move(Connection connection, Sql sql, Map<String, @Nullable Object> values) throws SQLException {
        try (ResultSet row = session.prepare(connection, sql, values).executeQuery()) {
            return moved(row);
        }
    }

    private boolean moved(ResultSet row) throws SQLException {
        boolean moved = row.next();
        ctid = moved ? row.getString(1) : null;
        return moved;
    }

    private Map<String, @Nullable Object> values(Settlement settlement) {
        Map<String, @Nullable Object> values = owned();
        values.put("ctid", ctid);
        values.put("former", settlement.former());
        values.put("turn", settlement.turn());
        values.put("a", settlement.mark().a());
        values.put("b", settlement.mark().b());
        values.put("seq", settlement.mark().seq());
        values.put("moved", !settlement.mark().equals(written));
        values.put("high_a", unlessSame(settlement.high().a(), settlement.mark().a()));
        values.put("high_b", unlessSame(settlement.high().b(), settlement.mark().b()));
        values.put("high_seq", settlement.high().seq());
        values.put("read_seq", settlement.readSeq());
        values.put("row_seq", settlement.changes().greatestSeq());
        values.put("parked_for", settlement.parkedFor());
        values.put("undisturbed", settlement.undisturbed());
        values.put("count", settlement.receiptCount());
        Settlement.Gauge gauge = settlement.gauge();
        values.put("breaker_reason", gauge == null ? null : Storable.text(gauge.breakerReason()));
        values.put("denial_reason", gauge == null ? null : Storable.text(gauge.denialReason()));
        values.put("blocked_keys", gauge == null ? 0 : gauge.blockedKeys());
        return values;
    }

    private static @Nullable Snapshot unlessSame(Snapshot snapshot, Snapshot other) {
        return snapshot.equals(other) ? null : snapshot;
    }

    @Override
    public Blocked blockedKeys(int limit) {
        return rowReader().blockedKeys(limit);
    }

    @Override
    public List<BlockedKey> blocked(Collection<String> keys) {
        return rowReader().blocked(keys);
    }

    @Override
    public Set<Long> known(List<Long> seqs) {
        return rowReader().known(seqs);
    }

    @Override
    public Agenda agenda() {
        return rowReader().agenda();
    }

    @Override
    public List<DeliveryRow> due(int limit) {
        return rowReader().due(limit);
    }

    @Override
    public @Nullable DeliveryRow earliest() {
        return rowReader().earliest();
    }

    @Override
    public @Nullable DeliveryRow oldest() {
        return rowReader().oldest();
    }

    @Override
    public List<DeliveryRow> held(List<String> keys, int perKey) {
        return rowReader().held(keys, perKey);
    }

    @Override
    public @Nullable DeliveryRow row(long seq) {
        return rowReader().row(seq);
    }

    @Override
    public boolean isUnsettled(long seq) {
        return rowReader().isUnsettled(seq);
    }

    @Override
    public List<Command> commands(int limit) {
        return rowReader().commands(limit);
    }

    @Override
    public @Nullable DeadLetterState letter(long seq) {
        return rowReader().letter(seq);
    }

    @Override
    public List<ReplayOrder> replays() {
        return replayReader().running();
    }

    @Override
    public List<OwnedReplayItem> replayItems(ReplayOrder replay, long afterSeq, int limit) {
        return replayReader().items(replay, afterSeq, limit);
    }

    @Override
    public int lanesBefore(ReplayOrder replay) {
        return replayReader().lanesBefore(replay);
    }

    @Override
    public Granted leaseTokens(ReplayOrder replay, double capacity, int wanted) {
        Map<String, @Nullable Object> values = tokens(replay.ratePerSecond(), capacity, wanted);
        values.put("replay", replay.id());
        return session.query("leasing tokens", session.sql(LEASE_REPLAY_TOKENS), values, PostgresLaneStore::granted);
    }
}
