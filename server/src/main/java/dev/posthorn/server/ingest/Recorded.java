package dev.posthorn.server.ingest;

import dev.posthorn.event.Event;

/**
 * An event that is in the log.
 *
 * @param duplicate it was there before
 */
public record Recorded(Event event, boolean duplicate) {

    /** The id as its source knows it. */
    public String id() {
        return event.givenId();
    }
}
