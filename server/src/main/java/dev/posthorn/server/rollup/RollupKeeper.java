package dev.posthorn.server.rollup;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.periodic.PeriodicTask;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes down every ten seconds what this hub has done since, if there is anything to tell. */
public final class RollupKeeper extends PeriodicTask {

    /** After the database; it stops after the relay, whose last work is written down too. */
    private static final int PHASE = 1;

    /** After a run that failed. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final long TRIM_NANOS = Duration.ofMinutes(10).toNanos();

    private final Database database;
    private final RollupStore store;
    private final Tally tally;
    private final UUID writer = UUID.randomUUID();
    private Duration untilNext = Duration.ZERO;
    private @Nullable Long seq;
    private long trimmedAt = System.nanoTime() - TRIM_NANOS;

    RollupKeeper(Database database, RollupStore store, Tally tally) {
        super("posthorn-rollups", PAUSE, PHASE);
        this.database = database;
        this.store = store;
        this.tally = tally;
    }

    @Override
    protected void runOnce() {
        pause(untilNext);
        if (database.isReady()) {
            write();
        }
    }

    /** Writes what there is by now, instead of when the ten seconds are over. */
    public synchronized void write() {
        Map<String, Work> work = tally.take();
        try {
            RollupStore.Written written = store.write(writer, seq, work);
            seq = written.seq();
            untilNext = written.untilNext();
        } catch (RuntimeException e) {
            work.forEach(tally::add);
            throw e;
        }
        if (System.nanoTime() - trimmedAt >= TRIM_NANOS) {
            store.trim();
            trimmedAt = System.nanoTime();
        }
    }
}
