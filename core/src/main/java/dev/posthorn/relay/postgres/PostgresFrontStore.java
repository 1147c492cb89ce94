package dev.posthorn.relay.postgres;

import dev.posthorn.log.Mark;
import dev.posthorn.log.Session;
import dev.posthorn.log.Sql;
import dev.posthorn.relay.store.FrontStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Keeps the position of a front in PostgreSQL. A move is one statement, and so a transaction. */
public final class PostgresFrontStore implements FrontStore {

    private static final String BEGIN = """
            INSERT INTO posthorn.front (id, session_id, a, b, seq, read_seq, turn)
            VALUES (:front::uuid, :session::uuid, :a::pg_snapshot, :b::pg_snapshot, :seq, :read_seq, :turn)
            """;

    private static final String FORGET = """
            DELETE FROM posthorn.front f
             WHERE f.ended AND NOT EXISTS (SELECT FROM posthorn.lane_mark m WHERE m.front = f.id)
            """;

    /** Waits for a move that is under way. */
    static final String END = "UPDATE posthorn.front SET ended = true WHERE id = ANY (:fronts::uuid[]) AND NOT ended";

    private static final String MOVED = """
            UPDATE posthorn.front
               SET a = :a::pg_snapshot, b = :b::pg_snapshot, seq = :seq, read_seq = greatest(read_seq, :read_seq),
                   turn = :turn, moved_at = CASE WHEN :moved THEN posthorn.clock() ELSE moved_at END
             WHERE id = :front::uuid AND turn = :former AND NOT ended {place}
            RETURNING id, a, b, seq, read_seq, moved_at, ctid::text AS place
            """;

    /** The front alone, as most of the time. */
    private static final String MOVE = "WITH moved AS (" + MOVED + ") SELECT place, NULL AS touched FROM moved";

    /**
     * Each lane is fenced by its epoch; who gets on, by the turn of its last settle too: one whose answer was lost may come
     * to its end only now.
     */
    private static final String MOVE_WITH_LANES = """
            WITH moved AS ({moved}),
            off AS (
                UPDATE posthorn.lane_mark m
                   SET a = moved.a, b = moved.b, seq = moved.seq, high_a = NULL, high_b = NULL, high_seq = moved.seq,
                       read_seq = greatest(m.read_seq, moved.read_seq), moved_at = moved.moved_at, turn = :turn,
                       front = NULL
                  FROM moved, unnest(:off_lanes::bigint[], :off_epochs::bigint[]) AS o (lane_id, epoch)
                 WHERE m.lane_id = o.lane_id AND m.epoch = o.epoch AND m.front = moved.id
                RETURNING m.lane_id),
            boarded AS (
                UPDATE posthorn.lane_mark m
                   SET front = moved.id, turn = :turn, parked_for = NULL
                  FROM moved, unnest(:on_lanes::bigint[], :on_epochs::bigint[], :on_formers::bigint[])
                       AS o (lane_id, epoch, former)
                 WHERE m.lane_id = o.lane_id AND m.epoch = o.epoch AND m.turn = o.former AND m.front IS NULL
                RETURNING m.lane_id),
            calmed AS (
                UPDATE posthorn.lane_mark m
                   SET takeovers = 0
                  FROM moved, unnest(:calm_lanes::bigint[], :calm_epochs::bigint[]) AS o (lane_id, epoch)
                 WHERE m.lane_id = o.lane_id AND m.epoch = o.epoch AND m.front = moved.id
                RETURNING m.lane_id),
            noted AS (
                INSERT INTO posthorn.front_receipt (era, a, b, seq, lanes, counts)
                SELECT c.era, moved.a, moved.b, moved.seq, :lanes::bigint[], :counts::bigint[]
                  FROM moved CROSS JOIN posthorn.cluster c
                 WHERE cardinality(:lanes::bigint[]) > 0)
            SELECT place, ARRAY(SELECT lane_id FROM off UNION ALL SELECT lane_id FROM boarded UNION ALL SELECT lane_id FROM calmed) AS touched FROM moved
            """.replace("{moved}", MOVED.strip());

    /** As for a mark: under somebody's open snapshot a search by key walks all old versions. */
    private static final String BY_PLACE = "AND ctid = :ctid::tid";

    private final Session session;
    private @Nullable String ctid;
    private @Nullable Mark written;

    /** @param session one of its own on the connection of the lanes that ride */
    public PostgresFrontStore(Session session) {
        this.session = session;
    }

    @Override
    public void begin(UUID front, UUID owner, Mark at, long readSeq, long turn) {
        session.begin();
        session.update("forgetting fronts that nobody rides on", session.sql(FORGET), Map.of());
        Map<String, @Nullable Object> values = position(front, at, readSeq, turn);
        values.put("session", owner);
        session.update("beginning a front", session.sql(BEGIN), values);
        ctid = null;
        written = at;
    }

    @Override
    public void end(Collection<UUID> fronts) {
        session.begin();
        String[] ids = fronts.stream().map(UUID::toString).toArray(String[]::new);
        session.update("ending fronts", session.sql(END), Map.of("fronts", ids));
    }

    @Override
    public boolean isCurrent() {
        return session.isCurrent();
    }

    @Override
    public Moved move(Move move) {
        Map<String, @Nullable Object> values = position(move.front(), move.at(), move.readSeq(), move.turn());
        values.put("former", move.former());
        values.put("moved", !move.at().equals(written));
        values.put("ctid", ctid);
        boolean alone = move.anchored().isEmpty()
                && move.boarded().isEmpty()
                && move.calmed().isEmpty()
                && move.receipts().isEmpty();
        if (!alone) {
            values.put("off_lanes", numbers(move.anchored(), Touched::lane));
            values.put("off_epochs", numbers(move.anchored(), Touched::epoch));
            values.put("on_lanes", numbers(move.boarded(), Touched::lane));
            values.put("on_epochs", numbers(move.boarded(), Touched::epoch));
            values.put("on_formers", numbers(move.boarded(), Touched::former));
            values.put("calm_lanes", numbers(move.calmed(), Touched::lane));
            values.put("calm_epochs", numbers(move.calmed(), Touched::epoch));
            values.put("lanes", numbers(move.receipts(), Receipt::lane));
            values.put("counts", numbers(move.receipts(), receipt -> (long) receipt.count()));
        }
        String text = alone ? MOVE : MOVE_WITH_LANES;
        Optional<Moved> moved = ctid == null ? Optional.empty() : move(text, BY_PLACE, values);
        if (moved.isEmpty()) {
            moved = move(text, "", values);
        }
        written = move.at();
        return moved.orElse(Moved.ENDED);
    }

    private Optional<Moved> move(String text, String place, Map<String, @Nullable Object> values) {
        Sql sql = session.sql(text.replace("{place}", place));
        return session.query("moving the front", sql, values, this::moved);
    }

    private Optional<Moved> moved(ResultSet row) throws SQLException {
        if (!row.next()) {
            return Optional.empty();
        }
        ctid = row.getString("place");
        return Optional.of(new Moved(
                true,
                row.getArray("touched") == null
                        ? Set.of()
                        : Set.of((Long[]) row.getArray("touched").getArray())));
    }

    private static Map<String, @Nullable Object> position(UUID front, Mark at, long readSeq, long turn) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("front", front);
        values.put("a", at.a());
        values.put("b", at.b());
        values.put("seq", at.seq());
        values.put("read_seq", readSeq);
        values.put("turn", turn);
        return values;
    }

    private static <T> Long[] numbers(List<T> all, Function<T, Long> number) {
        return all.stream().map(number).toArray(Long[]::new);
    }
}
