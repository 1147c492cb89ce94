package dev.posthorn.spring.outbox;

import dev.posthorn.event.Event;
import java.util.List;

/** Carries the current trace from where an event is recorded to where it is handled. */
public interface Traces {

    /** Without a tracer on the class path. */
    Traces NONE = new Traces() {
        @Override
        public Event onto(Event event) {
            return event;
        }

        @Override
        public AutoCloseable around(List<Event> events) {
            return () -> {};
        }
    };

    /** The event with the context of the current trace in its headers, unless it brings its own. */
    Event onto(Event event);

    /** Goes on with the trace of these events until it is closed. */
    AutoCloseable around(List<Event> events);
}
