package dev.posthorn.spring.outbox;

import dev.posthorn.event.Event;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * What a transaction has recorded and not written yet. Written last before the commit: by then the transaction has locked
 * the rows that it changes, so whoever changes the same aggregate next waits and gets a later place in the log. An event
 * that was written first could stand before that of a transaction which committed earlier.
 */
final class PendingEvents {

    private final SpringOutbox outbox;
    private final List<Event> events = new ArrayList<>();
    private final IdentityHashMap<Object, Place> savepoints = new IdentityHashMap<>();

    /** So many of the events, from the first on, were written. They are kept while a rollback may unwrite them. */
    private int written;

    /** How far the transaction was. */
    private record Place(int events, int written) {}

    PendingEvents(SpringOutbox outbox) {
        this.outbox = outbox;
    }

    void add(List<Event> more) {
        events.addAll(more);
    }

    int size() {
        return events.size();
    }

    void write() {
        if (written == events.size()) {
            return;
        }
        List<Event> now = List.copyOf(events.subList(written, events.size()));
        written = events.size();
        if (savepoints.isEmpty()) {
            events.clear();
            written = 0;
        }
        outbox.write(now);
    }

    void savepoint(Object savepoint) {
        savepoints.put(savepoint, new Place(events.size(), written));
    }

    /**
     * What was recorded since is dropped; what was recorded before and written since is to be written again. A savepoint
     * that is not known is older than all that was recorded.
     */
    void savepointRollback(Object savepoint) {
        Place then = savepoints.getOrDefault(savepoint, new Place(0, 0));
        events.subList(Math.min(then.events(), events.size()), events.size()).clear();
        written = Math.min(then.written(), events.size());
    }
}
