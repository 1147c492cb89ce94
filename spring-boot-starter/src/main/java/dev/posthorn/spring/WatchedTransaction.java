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
    private final Collection<Object> begun;
    private final Consumer<WatchedTransaction> flush;
    private final Map<SpringOutbox, PendingEvents> pending = new LinkedHashMap<>();
    private boolean ended;

    /**
     * @param outer connections and entity managers of the transactions that this one runs inside of
     * @param begun what its manager has bound to the thread when it began
     */
    WatchedTransaction(Collection<Object> outer, Collection<Object> begun, Consumer<WatchedTransaction> flush) {
        this.outer = outer;
        this.begun = begun;
        this.flush = flush;
    }

    /** The innermost one; null if nobody watches its manager. */
    static @Nullable WatchedTransaction current() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return null;
        }
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof WatchedTransaction watched) {
                return watched;
            }
        }
        return null;
    }

    /** Whether what is bound to the thread was bound in this transaction, not in one around it. */
    boolean owns(Object resource) {
        return outer.stream().noneMatch(each -> each == resource);
    }

    /**
     * Whether the commit of this transaction is that of the connection. One that a query has bound to the thread in a
     * transaction of another data source is given back afterwards, and what was written by it is lost.
     */
    boolean commits(Object connection) {
        return begun.stream().anyMatch(each -> each == connection);
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
