package dev.posthorn.server.types;

import dev.posthorn.event.Event;
import dev.posthorn.server.problem.Violation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a type demands of an event's data. Thread-safe. */
@FunctionalInterface
interface PayloadCheck {

    /** Nothing. */
    PayloadCheck ANY = event -> List.of();

    /** The rules that the data breaks; the field of each begins with {@code data}. */
    List<Violation> violations(Event event);

    /** The data as JSON, if it is another form of a message that the type describes; null if not. */
    default @Nullable String json(Event event) {
        return null;
    }
}
