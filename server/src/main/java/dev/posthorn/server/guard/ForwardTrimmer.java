package dev.posthorn.server.guard;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.periodic.PeriodicTask;
import java.time.Duration;

/** Forgets what became of events after as long as ids of published events are known. Nothing in doubt is forgotten. */
final class ForwardTrimmer extends PeriodicTask {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    /** After the database. */
    private static final int PHASE = 1;

    private static final int BATCH = 1_000;
    private static final Duration BREATH = Duration.ofMillis(50);

    private final Database database;
    private final ForwardStore store;
    private final Duration keptFor;

    ForwardTrimmer(Database database, ForwardStore store, Duration keptFor) {
        super("posthorn-forward-trimmer", INTERVAL, PHASE);
        this.database = database;
        this.store = store;
        this.keptFor = keptFor;
    }

    @Override
    protected void runOnce() {
        while (database.isReady() && store.trim(keptFor, BATCH) == BATCH && !pause(BREATH)) {
            // There is more.
        }
    }
}
