package dev.posthorn.spring.outbox;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sees the transactions of a manager begin and come to their commit. It is told of the commit after all synchronizations
 * were, right before the database is: nothing that can be recorded comes later. A synchronization would not do, because one
 * that is registered while the others have their turn gets none.
 */
final class TransactionWatch implements TransactionExecutionListener {

    private final Consumer<WatchedTransaction> flush;
    private final ThreadLocal<List<Object>> around = ThreadLocal.withInitial(List::of);

    /** @param flush brings to the database what a transaction holds back in memory */
    TransactionWatch(Consumer<WatchedTransaction> flush) {
        this.flush = flush;
    }

    @Override
    public void beforeBegin(TransactionExecution transaction) {
        around.set(inATransaction());
    }

    private static List<Object> inATransaction() {
        return TransactionSynchronizationManager.getResourceMap().values().stream()
                .filter(TransactionWatch::isInATransaction)
                .toList();
    }

    /** An entity manager that is open for a web request is in no transaction yet, and may be in this one in a moment. */
    private static boolean isInATransaction(Object resource) {
        return resource instanceof ConnectionHolder
                || (resource instanceof ResourceHolderSupport holder && holder.isSynchronizedWithTransaction());
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
        List<Object> outer = around.get();
        around.remove();
        if (beginFailure == null && isWhole(transaction)) {
            List<Object> begun = new ArrayList<>(inATransaction());
            begun.removeAll(outer);
            TransactionSynchronizationManager.registerSynchronization(new WatchedTransaction(outer, begun, flush));
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        WatchedTransaction watched = isWhole(transaction) ? WatchedTransaction.current() : null;
        if (watched != null) {
            watched.end();
        }
    }

    /** The end of a nested block, which is told as a commit too, is not the end of its transaction. */
    private static boolean isWhole(TransactionExecution transaction) {
        return transaction.isNewTransaction()
                && !transaction.isNested()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }
}
