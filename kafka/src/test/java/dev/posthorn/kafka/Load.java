package dev.posthorn.kafka;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Records events of one key, one transaction after the other, until it is ended. */
final class Load {

    private static final int PER_TRANSACTION = 20;

    private final OutboxDatabase database;
    private final Thread thread = new Thread(this::run, "load");
    private volatile boolean ending;
    private volatile int recorded;

    private Load(OutboxDatabase database) {
        this.database = database;
    }

    static Load on(OutboxDatabase database) {
        Load load = new Load(database);
        load.thread.setDaemon(true);
        load.thread.start();
        return load;
    }

    private void run() {
        while (!ending) {
            int from = recorded;
            database.record(from, from + PER_TRANSACTION);
            recorded = from + PER_TRANSACTION;
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    int recorded() {
        return recorded;
    }

    /** How many events there are in all. */
    int end() throws InterruptedException {
        ending = true;
        thread.join();
        return recorded;
    }
}
