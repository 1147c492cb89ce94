package dev.posthorn.server.types;

import dev.posthorn.event.Event;
import dev.posthorn.server.problem.Violation;
import java.util.List;

/** What a type demands of an event's data. Thread-safe. */
@FunctionalInterface
interface PayloadCheck {

    /** Nothing. */
    PayloadCheck ANY = event -> List.of();

    /** The rules that the data breaks; the field of each begins with {@code data}. */
    List<Violation> violations(Event event);
}
