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
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane's progress in PostgreSQL. Every settle begins with the fenced update of the mark, which fences all that
 * follows in its transaction.
 */
public final class PostgresLaneStore implements LaneStore {

    private static final String BEGIN = """
            SELECT m.a::text AS a, m.b::text AS b, m.seq, m.read_seq, m.row_seq, m.turn, m.parked_for, m.takeovers,
                   g.denial_reason, extract(epoch FROM s.expires_at - posthorn.clock()) AS leased
              FROM posthorn.lane_mark m
              LEFT JOIN posthorn.lane_owner o ON o.lane_id = m.lane_id AND o.epoch = m.epoch
              LEFT JOIN posthorn.session s ON s.id = o.session_id
              LEFT JOIN posthorn.lane_gauge g ON g.lane_id = m.lane_id
             WHERE m.lane_id = :lane AND m.epoch = :epoch
            """;

    private static final String IS_THERE = "SELECT FROM posthorn.lane_mark WHERE lane_id = :lane";

    private static final String STOP_AT =
            "SELECT stop_at::text AS stop_at FROM posthorn.subscription WHERE id = :subscription";

    /** After the settle that it follows: one whose answer was lost may have been done, and comes only to its end now. */
    private static final String MOVE = """
            UPDATE posthorn.lane_mark
               SET a = :a::pg_snapshot, b = :b::pg_snapshot, seq = :seq,
                   high_a = :high_a::pg_snapshot, high_b = :high_b::pg_snapshot, high_seq = :high_seq,
                   read_seq = greatest(read_seq, :read_seq), row_seq = greatest(row_seq, :row_seq), parked_for = :parked_for::uuid, turn = :turn,
                   moved_at = CASE WHEN :moved THEN posthorn.clock() ELSE moved_at END,
                   takeovers = CASE WHEN :undisturbed THEN 0 ELSE takeovers END
             WHERE lane_id = :lane AND turn = :former AND epoch = :epoch {place}
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

    private final Session session;
    private final LaneGrant grant;
    private final Sql moveByPlace;
    private final Sql moveByKey;
    private final Sql begin;
    private final Sql isThere;
    private final Sql stopAt;
    private final Sql receipt;
    private final Sql gauge;
    private final Sql pause;
    private final Sql leaseTokens;
    private final Sql leaseReplayTokens;
    private final ChangeWriter writer;
    private final CarefulWriter carefulWriter;
    private final RowReader rows;
    private final OwnedReplayReader replays;
    private @Nullable String ctid;
    private @Nullable Mark written;

    /** What the last settle that was asked for comes to if it is done. */
    private Settled done = Settled.DONE;

    public PostgresLaneStore(Session session, LaneGrant grant, String instance) {
        this.session = session;
        this.grant = grant;
        this.moveByPlace = Sql.of(session.schema(), MOVE.replace("{place}", BY_PLACE));
        this.moveByKey = Sql.of(session.schema(), MOVE.replace("{place}", ""));
        this.begin = Sql.of(session.schema(), BEGIN);
        this.isThere = Sql.of(session.schema(), IS_THERE);
        this.stopAt = Sql.of(session.schema(), STOP_AT);
        this.receipt = Sql.of(session.schema(), RECEIPT);
        this.gauge = Sql.of(session.schema(), GAUGE);
        this.pause = Sql.of(session.schema(), PAUSE);
        this.leaseTokens = Sql.of(session.schema(), leaseTokens("rate", "subscription"));
        this.leaseReplayTokens = Sql.of(session.schema(), leaseTokens("replay_rate", "replay"));
        this.writer = new ChangeWriter(session, grant, instance);
        this.carefulWriter = new CarefulWriter(session, grant, writer);
        this.rows = new RowReader(session, grant);
        this.replays = new OwnedReplayReader(session, grant);
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
        Optional<StoredLane> stored = session.query(
                "looking where the lane stands",
                begin,
                owned(),
                row -> row.next() ? Optional.of(stored(row)) : Optional.empty());
        written = stored.map(StoredLane::mark).orElse(null);
        return stored.orElse(null);
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
                Duration.ofNanos((long) (1e9 * row.getDouble("leased"))));
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
        return session.query("looking whether the lane is there", isThere, values, row -> !row.next());
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
                stopAt,
                values,
                row -> row.next() ? Optional.ofNullable(row.getString("stop_at")) : Optional.empty());
        return text.map(Snapshot::new).orElse(null);
    }

    @Override
    public Settled settle(Settlement settlement) {
        done = Settled.DONE;
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
        return session.query("pausing", pause, values, ResultSet::next);
    }

    /** None if the subscription was deleted. */
    @Override
    public Granted leaseTokens(double ratePerSecond, double capacity, int wanted) {
        Map<String, @Nullable Object> values = tokens(ratePerSecond, capacity, wanted);
        values.put("subscription", grant.subscriptionId());
        return session.query("leasing tokens", leaseTokens, values, PostgresLaneStore::granted);
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

    private boolean moveAlone(Map<String, @Nullable Object> values) {
        return session.query("settling", moveByPlaceOrKey(values), values, this::moved)
                || session.query("settling", moveByKey, values, this::moved);
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
        writer.write(connection, settlement.changes());
        if (!settlement.changes().isEmpty()) {
            checkNow(connection);
        }
        writeReceipt(connection, settlement, values);
        if (settlement.gauge() != null) {
            session.prepare(connection, gauge, values).executeUpdate();
        }
        return true;
    }

    /** In the transaction that moves the mark, like everything else. Only people miss a gauge that is not written. */
    private boolean writeCarefully(Connection connection, Settlement settlement, Map<String, @Nullable Object> values)
            throws SQLException {
        checkNow(connection);
        done = new Settled(true, carefulWriter.write(connection, settlement.changes()));
        writeReceipt(connection, settlement, values);
        if (settlement.gauge() != null) {
            CarefulWriter.refusal(
                    connection, () -> session.prepare(connection, gauge, values).executeUpdate());
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
            session.prepare(connection, receipt, values).executeUpdate();
        }
    }

    private boolean move(Connection connection, Map<String, @Nullable Object> values) throws SQLException {
        return move(connection, moveByPlaceOrKey(values), values) || move(connection, moveByKey, values);
    }

    private Sql moveByPlaceOrKey(Map<String, @Nullable Object> values) {
        return values.get("ctid") == null ? moveByKey : moveByPlace;
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
        return rows.blockedKeys(limit);
    }

    @Override
    public List<BlockedKey> blocked(Collection<String> keys) {
        return rows.blocked(keys);
    }

    @Override
    public Set<Long> known(List<Long> seqs) {
        return rows.known(seqs);
    }

    @Override
    public Agenda agenda() {
        return rows.agenda();
    }

    @Override
    public List<DeliveryRow> due(int limit) {
        return rows.due(limit);
    }

    @Override
    public @Nullable DeliveryRow earliest() {
        return rows.earliest();
    }

    @Override
    public @Nullable DeliveryRow oldest() {
        return rows.oldest();
    }

    @Override
    public List<DeliveryRow> held(List<String> keys, int perKey) {
        return rows.held(keys, perKey);
    }

    @Override
    public @Nullable DeliveryRow row(long seq) {
        return rows.row(seq);
    }

    @Override
    public boolean isUnsettled(long seq) {
        return rows.isUnsettled(seq);
    }

    @Override
    public List<Command> commands(int limit) {
        return rows.commands(limit);
    }

    @Override
    public @Nullable DeadLetterState letter(long seq) {
        return rows.letter(seq);
    }

    @Override
    public List<ReplayOrder> replays() {
        return replays.running();
    }

    @Override
    public List<OwnedReplayItem> replayItems(ReplayOrder replay, long afterSeq, int limit) {
        return replays.items(replay, afterSeq, limit);
    }

    @Override
    public int lanesBefore(ReplayOrder replay) {
        return replays.lanesBefore(replay);
    }

    @Override
    public Granted leaseTokens(ReplayOrder replay, double capacity, int wanted) {
        Map<String, @Nullable Object> values = tokens(replay.ratePerSecond(), capacity, wanted);
        values.put("replay", replay.id());
        return session.query("leasing tokens", leaseReplayTokens, values, PostgresLaneStore::granted);
    }
}
