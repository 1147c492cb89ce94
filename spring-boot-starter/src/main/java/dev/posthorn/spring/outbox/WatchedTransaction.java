package dev.posthorn.spring.outbox;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction and what was recorded in it. It is among the synchronizations from the begin on, because these are set
 * aside with their transaction and come back with it.
 */
public final class WatchedTransaction implements TransactionSynchronization {

    /**
     * Connections of the thread's transactions that have ended. Spring gives a connection back, and takes it off the thread,
     * only after everybody was told of the end, and lets who begins a transaction meanwhile join the one that is over.
     */
    private static final ThreadLocal<Set<Object>> ENDED =
            ThreadLocal.withInitial(() -> Collections.newSetFromMap(new WeakHashMap<>()));

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
    public static @Nullable WatchedTransaction current() {
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

    /** Whether the connection is one of a transaction that was committed or rolled back. */
    static boolean hasEnded(Object connection) {
        return ENDED.get().contains(connection);
    }

    /** Whether what is bound to the thread was bound in this transaction, not in one around it. */
    boolean owns(Object resource) {
        return outer.stream().noneMatch(each -> each == resource);
    }

    /**
     * Whether the commit of this transaction is that of the connection. One that a query has bound to the thread in a
     * transaction of another data source is given back afterwards, and what was written by it is lost.
     */
    public boolean commits(Object connection) {
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

    /** The first to be told of the end: it has to be known to all the others. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCompletion(int status) {
        ENDED.get().addAll(begun);
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
