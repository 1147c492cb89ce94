package dev.posthorn.spring;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows that a transaction is past its last moment to record in. Spring calls it active until all its listeners have been
 * told of the commit, and an event recorded by one of them would be lost without a word.
 */
final class CommitWatch implements TransactionExecutionListener {

    private static final TransactionSynchronization ENDED = new TransactionSynchronization() {};

    /** The end of a nested block, which is told as a commit too, is not the end of its transaction. */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (transaction.isNewTransaction() && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(ENDED);
        }
    }

    static boolean hasEnded() {
        return TransactionSynchronizationManager.getSynchronizations().contains(ENDED);
    }
}
