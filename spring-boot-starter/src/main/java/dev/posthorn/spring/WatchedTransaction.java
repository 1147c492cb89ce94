package dev.posthorn.spring;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction and what was recorded in it. It is among the synchronizations from the begin on, because these are set
 * aside with their transaction and come back with it.
 */
final class WatchedTransaction implements TransactionSynchronization {

    private final Collection<Object> outer;
    private final Consumer<WatchedTransaction> flush;
    private final Map<SpringOutbox, PendingEvents> pending = new LinkedHashMap<>();
    private boolean ended;

    /** @param outer connections and entity managers of the transactions that this one runs inside of */
    WatchedTransaction(Collection<Object> outer, Consumer<WatchedTransaction> flush) {
        this.outer = outer;
        this.flush = flush;
    }

    /** The innermost one; null if nobody watches its manager. Asked for in an active synchronization only. */
    static @Nullable WatchedTransaction current() {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof WatchedTransaction watched) {
                return watched;
            }
        }
        return null;
    }

    /** Whether what is bound to the thread belongs to this transaction, not to one around it. */
    boolean owns(Object resource) {
        return outer.stream().noneMatch(each -> each == resource);
    }

    /**
     * Whether it is past its last moment to record in. Spring calls it active until all its listeners have been told of the
     * commit, and an event recorded by one of them would be lost without a word.
     */
    boolean hasEnded() {
        return ended;
    }

    PendingEvents pendingOf(SpringOutbox outbox) {
        return pending.computeIfAbsent(outbox, PendingEvents::new);
    }

    /**
     * The last moment. Also without anything recorded, because the flush may call back those who record. Some exceptions
     * Spring takes for one of the commit itself, after which it does not roll back.
     */
    void end() {
        try {
            flush();
        } catch (TransactionException e) {
            throw new IllegalStateException(
                    "a transaction is rolled back, because something failed before its commit", e);
        }
        ended = true;
    }

    @Override
    public void flush() {
        flushAll();
        pending.values().forEach(PendingEvents::write);
    }

    /** A listener of the flush may record, and what it changes has to be flushed as well. */
    private void flushAll() {
        int before;
        do {
            before = recorded();
            flush.accept(this);
        } while (recorded() > before);
    }

    private int recorded() {
        return pending.values().stream().mapToInt(PendingEvents::size).sum();
    }

    @Override
    public void afterCommit() {
        pending.keySet().forEach(SpringOutbox::wake);
    }

    @Override
    public void savepoint(Object savepoint) {
        pending.values().forEach(each -> each.savepoint(savepoint));
    }

    @Override
    public void savepointRollback(Object savepoint) {
        pending.values().forEach(each -> each.savepointRollback(savepoint));
    }
}
