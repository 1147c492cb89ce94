package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane's progress in PostgreSQL. Every settle begins with the fenced update of the mark, which fences all that
 * follows in its transaction.
 */
final class PostgresLaneStore implements LaneStore {

    private static final String MOVE = """
            UPDATE posthorn.lane_mark
               SET a = :a::pg_snapshot, b = :b::pg_snapshot, seq = :seq,
                   high_a = :high_a::pg_snapshot, high_b = :high_b::pg_snapshot, high_seq = :high_seq,
                   read_seq = greatest(read_seq, :read_seq), parked = :parked
             WHERE lane_id = :lane {fence} {place}
            RETURNING ctid::text
            """;

    private static final String FENCE = "AND epoch = :epoch";

    /** Under somebody's open snapshot the chain of old versions grows, and a search by key walks all of it. */
    private static final String BY_PLACE = "AND ctid = :ctid::tid";

    private static final String RECEIPT = """
            INSERT INTO posthorn.receipt (lane_id, era, a, b, seq, count)
            SELECT :lane, era, :a::pg_snapshot, :b::pg_snapshot, :seq, :count FROM posthorn.cluster
            """;

    private final Session session;
    private final Lease lease;
    private final Guards guards;
    private final Sql moveByPlace;
    private final Sql moveByKey;
    private final Sql receipt;
    private @Nullable String ctid;

    PostgresLaneStore(Session session, Lease lease, Guards guards) {
        this.session = session;
        this.lease = lease;
        this.guards = guards;
        String move = MOVE.replace("{fence}", guards.hold(Guard.EPOCH_FENCE) ? FENCE : "");
        this.moveByPlace = Sql.of(session.schema(), move.replace("{place}", BY_PLACE));
        this.moveByKey = Sql.of(session.schema(), move.replace("{place}", ""));
        this.receipt = Sql.of(session.schema(), RECEIPT);
    }

    @Override
    public boolean settle(Settlement settlement) {
        Map<String, @Nullable Object> values = values(settlement);
        if (settlement.receiptCount() == 0) {
            // One statement is a transaction of its own, without the round trips of BEGIN and COMMIT.
            return session.query("settling", moveByPlaceOrKey(values), values, this::moved) || moveByKey(values);
        }
        return session.transaction("settling", connection -> {
            boolean done = move(connection, moveByPlaceOrKey(values), values)
                    || (mayTryKey() && move(connection, moveByKey, values));
            if (done) {
                session.prepare(connection, receipt, values).executeUpdate();
            }
            return done;
        });
    }

    private Sql moveByPlaceOrKey(Map<String, @Nullable Object> values) {
        return values.get("ctid") == null ? moveByKey : moveByPlace;
    }

    private boolean moveByKey(Map<String, @Nullable Object> values) {
        return mayTryKey() && session.query("settling", moveByKey, values, this::moved);
    }

    private boolean mayTryKey() {
        return guards.hold(Guard.MARK_BY_KEY);
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
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("lane", lease.laneId());
        values.put("epoch", lease.epoch());
        values.put("ctid", ctid);
        values.put("a", settlement.mark().a());
        values.put("b", settlement.mark().b());
        values.put("seq", settlement.mark().seq());
        values.put("high_a", unlessSame(settlement.high().a(), settlement.mark().a()));
        values.put("high_b", unlessSame(settlement.high().b(), settlement.mark().b()));
        values.put("high_seq", settlement.high().seq());
        values.put("read_seq", settlement.readSeq());
        values.put("parked", settlement.parked());
        values.put("count", settlement.receiptCount());
        return values;
    }

    private static @Nullable Snapshot unlessSame(Snapshot snapshot, Snapshot other) {
        return snapshot.equals(other) ? null : snapshot;
    }
}
