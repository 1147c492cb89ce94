package dev.posthorn.log;

import dev.posthorn.event.RecordedEvent;
import java.time.Instant;
import java.util.List;

/**
 * What one read found.
 *
 * @param events in the order in which they are to be delivered
 * @param window the window they belong to
 * @param next where to read on
 * @param now the database's time at the read
 */
public record Batch(List<RecordedEvent> events, Window window, Cursor next, Instant now) {

    public Batch {
        events = List.copyOf(events);
    }

    /** Whether the window was read to its end. */
    public boolean endsWindow() {
        return next instanceof Cursor.Tail;
    }

    /** The same as if only so many had been found: what follows is yet to be read. At least one, if any were. */
    public Batch upTo(int count) {
        if (count == events.size()) {
            return this;
        }
        Cursor.Bounds bounds = next instanceof Cursor.Inside inside ? inside.bounds() : null;
        Cursor behind = new Cursor.Inside(window, events.get(count - 1).seq(), bounds);
        return new Batch(events.subList(0, count), window, behind, now);
    }

    /** Whether the event's time had not come at the read. */
    public boolean isDeferred(RecordedEvent event) {
        Instant deliverAt = event.event().deliverAt();
        return deliverAt != null && deliverAt.isAfter(now);
    }

    /** The mark once this event, and all before it, are settled. */
    public Mark markAfter(RecordedEvent event) {
        return Mark.inside(window, event.seq());
    }

    /** The mark once all events up to the end of this batch are settled. */
    public Mark markAtEnd() {
        return next instanceof Cursor.Inside inside ? Mark.inside(window, inside.seq()) : Mark.at(window.b());
    }
}
