package dev.posthorn.benchmarks;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Two steady streams of events at the same rate, one through the outbox and one straight to Kafka, half a beat apart so
 * that they see the same machine without meeting each other.
 */
final class Traffic {

    private static final int KEYS = 5000;

    private final Database database;
    private final String bootstrapServers;
    private final String directTopic;
    private final long periodNanos;
    private final int size;
    private final long[] committedAt;
    private final long[] sentAt;

    Traffic(Database database, String bootstrapServers, String directTopic, int rate, int size, int total) {
        this.database = database;
        this.bootstrapServers = bootstrapServers;
        this.directTopic = directTopic;
        this.periodNanos = TimeUnit.SECONDS.toNanos(1) / rate;
        this.size = size;
        this.committedAt = new long[total];
        this.sentAt = new long[total];
    }

    /** Event by event, when its commit had returned. */
    long[] committedAt() {
        return committedAt;
    }

    /** Event by event, when it was about to be handed to the producer. */
    long[] sentAt() {
        return sentAt;
    }

    void run(int writers) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(writers + 1);
        try {
            // Time enough for all of them to have connected.
            long start = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            List<Callable<@Nullable Void>> streams = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                int first = i;
                streams.add(() -> record(start, first, writers));
            }
            streams.add(() -> sendDirectly(start + periodNanos / 2));
            for (Future<@Nullable Void> stream : threads.invokeAll(streams)) {
                stream.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("The traffic broke off: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
        }
    }

    private @Nullable Void record(long start, int first, int writers) throws SQLException {
        Outbox outbox = Outbox.create();
        SampleEvents samples = new SampleEvents(first, size, KEYS);
        try (Connection connection = database.transaction()) {
            for (int i = first; i < committedAt.length; i += writers) {
                Event event = samples.next(i);
                awaitTime(start + i * periodNanos);
                outbox.record(connection, event);
                connection.commit();
                committedAt[i] = System.nanoTime();
            }
        }
        return null;
    }

    private @Nullable Void sendDirectly(long start) {
        SampleEvents samples = new SampleEvents(-1, size, KEYS);
        try (BareProducer producer = new BareProducer(bootstrapServers, directTopic)) {
            for (int i = 0; i < sentAt.length; i++) {
                Event event = samples.next(i);
                Instant now = Instant.now();
                awaitTime(start + i * periodNanos);
                sentAt[i] = System.nanoTime();
                producer.send(event, now);
            }
            producer.flush();
        }
        return null;
    }

    private static void awaitTime(long time) {
        for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
