package dev.posthorn.event;

import java.time.Instant;

/**
 * An event as the log gives it back.
 *
 * @param seq its place in the log; neither dense nor a commit order
 * @param createdAt when its row was written, by the database's clock
 */
public record RecordedEvent(long seq, Event event, Instant createdAt) {

    /** What it weighs against the limits that are in bytes: its payload and an allowance for everything else. */
    public long bytes() {
        return event.payload().length + 256L;
    }
}
