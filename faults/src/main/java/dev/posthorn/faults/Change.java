package dev.posthorn.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import java.util.UUID;

/**
 * A change of an aggregate, as its event tells it. Committed counters of an aggregate are 1, 2, 3 … without a gap, since
 * a rollback takes the counter back too: so a reader that skips one shows it with the very next event.
 *
 * @param id of the event
 */
public record Change(UUID id, String aggregate, long counter) {

    public static Event event(int aggregate, long counter) {
        String key = "aggregate-" + aggregate;
        return Event.builder()
                .source("faults")
                .type("aggregate.changed")
                .key(key)
                .payload((key + " " + counter).getBytes(UTF_8))
                .build();
    }

    static Change of(Event event) {
        return of(event.id(), event.payload());
    }

    public static Change of(UUID id, byte[] payload) {
        String text = new String(payload, UTF_8);
        int space = text.indexOf(' ');
        return new Change(id, text.substring(0, space), Long.parseLong(text.substring(space + 1)));
    }
}
