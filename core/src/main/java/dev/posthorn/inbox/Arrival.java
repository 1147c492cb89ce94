package dev.posthorn.inbox;

import dev.posthorn.event.Event;
import org.jspecify.annotations.Nullable;

/**
 * An event that came, to be claimed.
 *
 * @param digest of what it says; null if that is not asked. Not copied: do not change it
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
public record Arrival(Event event, byte @Nullable [] digest) {

    public Arrival(Event event, byte @Nullable [] digest) {
        this.event = event;
        this.digest = digest;
    }

    InboxEntry entry() {
        return new InboxEntry(event.id(), digest, event.source());
    }

    Arrival underItsSource() {
        return new Arrival(event.underItsSource(), digest);
    }
}
