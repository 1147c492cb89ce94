package dev.posthorn.log;

import dev.posthorn.event.RecordedEvent;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log by windows of snapshots.
 *
 * <p>A sequence number is not a commit order: rows become visible late. So progress is a {@link Window}: the rows whose
 * transaction had not ended in snapshot A and has ended in a later snapshot B. Inside a window, order is by seq. A
 * snapshot that sees a transaction ended also sees everything that transaction had waited for, so the order of
 * transactions that serialize on their aggregate is kept, and a long transaction delays only its own events.
 *
 * <p>At the tail, one statement reads the whole next window; its own snapshot is B. If the window holds more than a
 * batch, B is frozen and the window is walked by seq in strides.
 */
public final class PostgresLog implements EventLog {

    /** How far one walk looks at most, so that a filter that wants little cannot hold its thread for long. */
    private static final long STRIDE = 50_000;

    private final Session session;
    private final LaneScope scope;
    private @Nullable LogStatements statements;

    public PostgresLog(Session session, LaneScope scope) {
        this.session = session;
        this.scope = scope;
    }

    /** Of the session's connection, and so only on its thread. */
    private LogStatements statements() {
        LogStatements known = statements;
        if (known == null) {
            known = session.reads(scope);
            statements = known;
        }
        return known;
    }

    @Override
    public Batch read(Cursor cursor, int limit, long bytes) {
        return cursor instanceof Cursor.Inside inside
                ? walk(inside, limit, bytes)
                : readTail(((Cursor.Tail) cursor).a(), limit, bytes);
    }

    private Batch readTail(Snapshot a, int limit, long bytes) {
        Map<String, @Nullable Object> values = values(limit, bytes);
        values.put("a", a);
        return session.query("reading the log", statements().tail, values, rows -> {
            rows.next();
            Window window = new Window(a, new Snapshot(rows.getString("b")));
            boolean whole = rows.getBoolean("whole");
            Instant now = rows.getObject("now", OffsetDateTime.class).toInstant();
            List<RecordedEvent> events = new ArrayList<>();
            while (rows.next()) {
                events.add(EventRow.read(rows));
            }
            return new Batch(events, window, whole ? new Cursor.Tail(window.b()) : Cursor.Inside.of(window, 0), now);
        });
    }

    private Batch walk(Cursor.Inside cursor, int limit, long bytes) {
        Window window = cursor.window();
        Cursor.Bounds bounds = cursor.bounds() == null ? bounds(window) : cursor.bounds();
        long to = endOfStride(cursor, bounds);
        boolean lastStride = to >= bounds.hi();
        Map<String, @Nullable Object> values = walkValues(cursor, bounds, limit, bytes);
        Sql walk = window.isFirst() ? statements().walkFirst : statements().walk;
        return session.query("reading the log", walk, values, rows -> {
            List<RecordedEvent> events = new ArrayList<>();
            Instant now = Instant.EPOCH;
            while (rows.next()) {
                RecordedEvent event = EventRow.read(rows);
                events.add(event);
                if (event.event().deliverAt() != null) {
                    now = rows.getObject("now", OffsetDateTime.class).toInstant();
                }
            }
            Cursor next = lastStride ? new Cursor.Tail(window.b()) : new Cursor.Inside(window, to, bounds);
            if (isCut(events, limit, bytes)) {
                next = new Cursor.Inside(window, events.get(events.size() - 1).seq(), bounds);
            }
            return new Batch(events, window, next, now);
        });
    }

    private static long startOfStride(Cursor.Inside cursor, Cursor.Bounds bounds) {
        return Math.max(cursor.seq(), bounds.lo() - 1);
    }

    private static long endOfStride(Cursor.Inside cursor, Cursor.Bounds bounds) {
        return Math.min(bounds.hi(), startOfStride(cursor, bounds) + STRIDE);
    }

    /** What a walk of the next stride is given. */
    Map<String, @Nullable Object> walkValues(Cursor.Inside cursor, Cursor.Bounds bounds, int limit, long bytes) {
        Window window = cursor.window();
        long from = startOfStride(cursor, bounds);
        long to = endOfStride(cursor, bounds);
        Map<String, @Nullable Object> values = values(limit, bytes);
        values.put("a", window.a());
        values.put("b", window.b());
        values.put("after", window.isFirst() ? from : Math.max(from, scope.floorSeq()));
        values.put("to", to);
        values.put("straggler_after", Math.max(cursor.seq(), scope.floorSeq()));
        values.put("straggler_to", to >= bounds.hi() ? Long.MAX_VALUE : to);
        return values;
    }

    private static boolean isCut(List<RecordedEvent> events, int limit, long bytes) {
        return events.size() >= limit
                || events.stream().mapToLong(e -> e.event().payload().length).sum() >= bytes;
    }

    private Cursor.Bounds bounds(Window window) {
        Map<String, @Nullable Object> values = values(0, 0);
        values.put("a", window.a());
        values.put("b", window.b());
        Sql sql = window.isFirst() ? statements().boundsOfFirst : statements().bounds;
        return session.query("measuring a window", sql, values, rows -> {
            rows.next();
            long lo = rows.getLong(1);
            return rows.wasNull() ? new Cursor.Bounds(1, 0) : new Cursor.Bounds(lo, rows.getLong(2));
        });
    }

    private Map<String, @Nullable Object> values(int limit, long bytes) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("limit", limit);
        values.put("bytes", bytes);
        values.put("lanes", scope.lanes());
        values.put("lane", scope.index());
        values.put("floor", scope.floorSeq());
        scope.filter().addValues(values);
        if (scope.since() != null) {
            values.put("since", scope.since());
        }
        LaneScope.Drain drain = scope.drain();
        if (drain != null) {
            values.put("drain_a", drain.mark().a());
            values.put("drain_b", drain.mark().b());
            values.put("drain_seq", drain.mark().seq());
            values.put("drain_read", drain.readSeq());
            values.put("drain_floor", drain.floorSeq());
            values.put("drain_to", drain.toSeq());
        }
        return values;
    }
}
