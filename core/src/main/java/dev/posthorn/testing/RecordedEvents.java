package dev.posthorn.testing;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.EventReader;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.util.List;
import java.util.stream.Collectors;

/** What was recorded, as a connection sees it (its own uncommitted events included), with assertions. */
public final class RecordedEvents {

    private final List<RecordedEvent> events;

    private RecordedEvents(List<RecordedEvent> events) {
        this.events = List.copyOf(events);
    }

    public static RecordedEvents in(Connection connection) {
        return in(connection, SchemaName.DEFAULT);
    }

    public static RecordedEvents in(Connection connection, SchemaName schema) {
        return after(connection, schema, 0);
    }

    /** Only those recorded after the one of this seq. */
    public static RecordedEvents after(Connection connection, SchemaName schema, long seq) {
        return new RecordedEvents(new EventReader(schema).after(connection, seq, Integer.MAX_VALUE));
    }

    /** The greatest seq among them, 0 if there are none. */
    public long lastSeq() {
        return events.stream().mapToLong(RecordedEvent::seq).max().orElse(0);
    }

    public List<Event> events() {
        return events.stream().map(RecordedEvent::event).toList();
    }

    public RecordedEvents ofType(String type) {
        return new RecordedEvents(
                events.stream().filter(e -> e.event().type().equals(type)).toList());
    }

    public RecordedEvents ofKey(String key) {
        return new RecordedEvents(
                events.stream().filter(e -> key.equals(e.event().key())).toList());
    }

    public RecordedEvents assertCount(int expected) {
        if (events.size() != expected) {
            throw new AssertionError("expected " + expected + " recorded events, found " + events.size() + listing());
        }
        return this;
    }

    /** The only one there is. */
    public Event assertOne() {
        return assertCount(1).events().get(0);
    }

    public void assertNone() {
        assertCount(0);
    }

    private String listing() {
        return events.stream()
                .limit(20)
                .map(e -> "\n  " + e.seq() + " " + e.event())
                .collect(Collectors.joining());
    }
}
