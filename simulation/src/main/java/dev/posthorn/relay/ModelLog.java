package dev.posthorn.relay;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import dev.posthorn.relay.Tables.EventRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The log of a {@link ModelDatabase} as one lane sees it. */
final class ModelLog implements EventLog {

    private final ModelDatabase database;
    private final LaneScope scope;
    private final Guards guards;
    private final Map<String, Boolean> wanted = new HashMap<>();

    ModelLog(ModelDatabase database, LaneScope scope, Guards guards) {
        this.database = database;
        this.guards = guards;
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
        List<RecordedEvent> found = new ArrayList<>();
        long size = 0;
        for (EventRow row : database.log.values()) {
            if (isIn(window, row)) {
                found.add(row.recorded);
                size += row.recorded.event().payload().length;
            }
        }
        if (!guards.hold(Guard.FROZEN_WINDOW)) {
            List<RecordedEvent> cut = found.subList(0, Math.min(limit, found.size()));
            return new Batch(cut, window, new Cursor.Tail(window.b()), database.now());
        }
        return found.size() <= limit && size <= bytes
                ? new Batch(found, window, new Cursor.Tail(window.b()), database.now())
                : new Batch(List.of(), window, Cursor.Inside.of(window, 0), database.now());
    }

    private Batch walk(Cursor.Inside cursor, int limit, long bytes) {
        List<RecordedEvent> found = new ArrayList<>();
        long size = 0;
        for (EventRow row : database.log.tailMap(cursor.seq(), false).values()) {
            if (isIn(cursor.window(), row)) {
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

    private boolean isIn(Window window, EventRow row) {
        return row.lane(scope.lanes()) == scope.index()
                && isUnseen(window.a(), row.txid)
                && database.visibility.sees(window.b(), row.txid)
                && wanted.computeIfAbsent(row.shape, shape -> scope.filter().wants(row.recorded.event()))
                && !isTooOld(window, row);
    }

    private boolean isUnseen(Snapshot a, long txid) {
        return guards.hold(Guard.STRAGGLERS)
                ? !database.visibility.sees(a, txid)
                : txid >= database.visibility.of(a).xmax();
    }

    private boolean isTooOld(Window window, EventRow row) {
        return window.isFirst()
                && scope.since() != null
                && row.recorded.createdAt().isBefore(scope.since());
    }
}
