package dev.posthorn.simulation;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import dev.posthorn.simulation.Tables.EventRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The log of a {@link ModelDatabase} as one lane sees it. */
final class ModelLog implements EventLog {

    private final ModelDatabase database;
    private final LaneScope scope;
    private final Map<String, Boolean> wanted = new HashMap<>();

    ModelLog(ModelDatabase database, LaneScope scope) {
        this.database = database;
        this.scope = scope;
    }

    @Override
    public Batch read(Cursor cursor, int limit, long bytes) {
        return cursor instanceof Cursor.Inside inside
                ? walk(inside, limit, bytes)
                : readTail(((Cursor.Tail) cursor).a(), limit, bytes);
    }

    private Batch readTail(Snapshot a, int limit, long bytes) {
        Window window = new Window(a, database.snapshot());
        Seen seen = new Seen(window);
        List<RecordedEvent> found = new ArrayList<>();
        long size = 0;
        for (EventRow row : database.log.since(seen.before.xmin())) {
            if (isIn(seen, row)) {
                found.add(row.recorded);
                size += row.recorded.event().payload().length;
            }
        }
        return found.size() <= limit && size <= bytes
                ? new Batch(found, window, new Cursor.Tail(window.b()), database.now())
                : new Batch(List.of(), window, Cursor.Inside.of(window, 0), database.now());
    }

    private Batch walk(Cursor.Inside cursor, int limit, long bytes) {
        Seen seen = new Seen(cursor.window());
        List<RecordedEvent> found = new ArrayList<>();
        long size = 0;
        for (EventRow row : database.log.since(seen.before.xmin())) {
            if (row.seq() > cursor.seq() && isIn(seen, row)) {
                found.add(row.recorded);
                size += row.recorded.event().payload().length;
                if (found.size() >= limit || size >= bytes) {
                    Cursor next = new Cursor.Inside(cursor.window(), row.seq(), cursor.bounds());
                    return new Batch(found, cursor.window(), next, database.now());
                }
            }
        }
        return new Batch(found, cursor.window(), new Cursor.Tail(cursor.window().b()), database.now());
    }

    /** What both ends of a window see, looked up once for all rows. */
    private final class Seen {
        private final Window window;
        private final Visibility before;
        private final Visibility after;

        Seen(Window window) {
            this.window = window;
            this.before = database.visibility.of(window.a());
            this.after = database.visibility.of(window.b());
            if (!window.isFirst() && !after.isNotBefore(before)) {
                throw new Simulation.BrokenPromise("a window reaches back: " + window);
            }
        }

        boolean has(EventRow row) {
            return !before.sees(row.txid) && after.sees(row.txid);
        }
    }

    private boolean isIn(Seen seen, EventRow row) {
        return seen.has(row)
                && row.lane(scope.lanes()) == scope.index()
                && wanted.computeIfAbsent(row.shape, shape -> scope.filter().wants(row.recorded.event()))
                && !isTooOld(seen.window, row);
    }

    private boolean isTooOld(Window window, EventRow row) {
        return window.isFirst()
                && scope.since() != null
                && row.recorded.createdAt().isBefore(scope.since());
    }
}
