package dev.posthorn.event;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * An event as the log gives it back.
 *
 * @param seq its place in the log; neither dense nor a commit order
 * @param createdAt when its row was written, by the database's clock
 * @param marks what is said about this delivery: see {@link Marks}. A sink sends them after the event's own headers, and
 *     of those none of such a name
 */
public record RecordedEvent(long seq, Event event, Instant createdAt, Map<String, String> marks) {

    public RecordedEvent {
        marks = Map.copyOf(marks);
    }

    /** Without marks. */
    public RecordedEvent(long seq, Event event, Instant createdAt) {
        this(seq, event, createdAt, Map.of());
    }

    /** The same with this mark. */
    public RecordedEvent marked(String name, String value) {
        Map<String, String> more = new HashMap<>(marks);
        more.put(name, value);
        return new RecordedEvent(seq, event, createdAt, more);
    }

    /** The same {@linkplain Event#underItsSource under its source}. */
    public RecordedEvent underItsSource() {
        return new RecordedEvent(seq, event.underItsSource(), createdAt, marks);
    }

    /** The event with its marks among its headers, for a handler, which gets nothing else. */
    public Event markedEvent() {
        if (marks.isEmpty()) {
            return event;
        }
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.putAll(marks);
        return event.withHeaders(headers);
    }

    /** What it weighs against the limits that are in bytes: its payload and an allowance for everything else. */
    public long bytes() {
        return event.payload().length + 256L;
    }
}
