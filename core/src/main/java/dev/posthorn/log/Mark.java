package dev.posthorn.log;

/**
 * How far a lane is settled: an event is settled iff it is visible in {@code a}, or visible in {@code b} with a seq of
 * at most {@code seq}. A bare seq never compares across windows.
 */
public record Mark(Snapshot a, Snapshot b, long seq) {

    /** Everything that is visible in the snapshot, and nothing else. */
    public static Mark at(Snapshot snapshot) {
        return new Mark(snapshot, snapshot, 0);
    }

    public static Mark inside(Window window, long seq) {
        return new Mark(window.a(), window.b(), seq);
    }

    /** Where reading goes on after this mark. */
    public Cursor cursor() {
        return a.equals(b) ? new Cursor.Tail(a) : Cursor.Inside.of(new Window(a, b), seq);
    }

    public boolean isAt(Snapshot snapshot) {
        return a.equals(snapshot) && b.equals(snapshot);
    }
}
