package dev.posthorn.spring;

import dev.posthorn.event.Event;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * What a transaction has recorded and not written yet. Written last before the commit: by then the transaction has locked
 * the rows that it changes, so whoever changes the same aggregate next waits and gets a later place in the log. An event
 * that was written first could stand before that of a transaction which committed earlier.
 */
final class PendingEvents implements TransactionSynchronization {

    private final SpringOutbox outbox;
    private final List<Event> events = new ArrayList<>();
    private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
    private boolean committing;

    PendingEvents(SpringOutbox outbox) {
        this.outbox = outbox;
    }

    boolean isOf(SpringOutbox other) {
        return outbox == other;
    }

    /** Others may come after us before the commit; what they record has no later turn. */
    void add(List<Event> more) {
        events.addAll(more);
        if (committing) {
            writeAll();
        }
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    private void writeAll() {
        if (events.isEmpty()) {
            return;
        }
        flushAll();
        List<Event> now = List.copyOf(events);
        events.clear();
        savepoints.clear();
        outbox.write(now);
    }

    /** A listener of the flush may record too, and what it changes has to be flushed as well. */
    private void flushAll() {
        int before;
        do {
            before = events.size();
            outbox.flush();
        } while (events.size() > before);
    }

    @Override
    public void flush() {
        writeAll();
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        writeAll();
        committing = true;
    }

    @Override
    public void afterCommit() {
        outbox.wake();
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, events.size());
    }

    /** One that is not known is older than all that is pending. */
    @Override
    public void savepointRollback(Object savepoint) {
        int size = savepoints.getOrDefault(savepoint, 0);
        events.subList(Math.min(size, events.size()), events.size()).clear();
    }
}
