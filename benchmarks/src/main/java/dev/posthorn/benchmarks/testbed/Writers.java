package dev.posthorn.benchmarks.testbed;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A steady stream of events through the outbox, each committed by itself, on several connections in turn. */
public final class Writers {

    private final Database database;
    private final long periodNanos;
    private final long[] committedAt;

    public Writers(Database database, int rate, int total) {
        this.database = database;
        this.periodNanos = TimeUnit.SECONDS.toNanos(1) / rate;
        this.committedAt = new long[total];
    }

    /** The time between two events. */
    public long periodNanos() {
        return periodNanos;
    }

    /** Event by event, when its commit had returned. */
    public long[] committedAt() {
        return committedAt;
    }

    /** Time enough for all of them to have connected. */
    public static long soon() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    }

    /**
     * One stream for each writer.
     *
     * @param samples gives a writer, by its number, what makes its events, by theirs
     */
    public List<Callable<@Nullable Void>> streams(int writers, long start, IntFunction<IntFunction<Event>> samples) {
        List<Callable<@Nullable Void>> streams = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            int first = i;
            streams.add(() -> record(start, first, writers, samples.apply(first)));
        }
        return streams;
    }

    private @Nullable Void record(long start, int first, int writers, IntFunction<Event> samples) throws SQLException {
        Outbox outbox = Outbox.create();
        try (Connection connection = database.transaction()) {
            for (int i = first; i < committedAt.length; i += writers) {
                Event event = samples.apply(i);
                awaitTime(start + i * periodNanos);
                outbox.record(connection, event);
                connection.commit();
                committedAt[i] = System.nanoTime();
            }
        }
        return null;
    }

    public static void awaitTime(long time) {
        for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
