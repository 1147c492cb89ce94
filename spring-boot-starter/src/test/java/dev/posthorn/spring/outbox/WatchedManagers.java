package dev.posthorn.spring.outbox;

import org.springframework.transaction.PlatformTransactionManager;

/** Transaction managers that are no beans, and are looked at all the same. */
final class WatchedManagers {

    private WatchedManagers() {}

    /** As a bean of the application would be. */
    static <M extends PlatformTransactionManager> M watched(M manager) {
        new TransactionWatchPostProcessor().postProcessAfterInitialization(manager, "manager");
        return manager;
    }
}
