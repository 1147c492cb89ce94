package dev.posthorn.benchmarks.kafka;

import dev.posthorn.benchmarks.harness.Parallel;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Writers;
import dev.posthorn.event.Event;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Two steady streams of events at the same rate, one through the outbox and one straight to Kafka, half a beat apart so
 * that they see the same machine without meeting each other.
 */
final class Traffic {

    private static final int KEYS = 5000;

    private final Writers outbox;
    private final String bootstrapServers;
    private final String directTopic;
    private final int size;
    private final long[] sentAt;

    Traffic(Database database, String bootstrapServers, String directTopic, int rate, int size, int total) {
        this.outbox = new Writers(database, rate, total);
        this.bootstrapServers = bootstrapServers;
        this.directTopic = directTopic;
        this.size = size;
        this.sentAt = new long[total];
    }

    /** Event by event, when its commit had returned. */
    long[] committedAt() {
        return outbox.committedAt();
    }

    /** Event by event, when it was about to be handed to the producer. */
    long[] sentAt() {
        return sentAt;
    }

    void run(int writers) throws InterruptedException {
        long start = Writers.soon();
        List<Callable<@Nullable Void>> streams =
                new ArrayList<>(outbox.streams(writers, start, writer -> new SampleEvents(writer, size, KEYS)::next));
        streams.add(() -> sendDirectly(start + outbox.periodNanos() / 2));
        Parallel.run(streams);
    }

    private @Nullable Void sendDirectly(long start) {
        SampleEvents samples = new SampleEvents(-1, size, KEYS);
        try (BareProducer producer = new BareProducer(bootstrapServers, directTopic)) {
            for (int i = 0; i < sentAt.length; i++) {
                Event event = samples.next(i);
                Instant now = Instant.now();
                Writers.awaitTime(start + i * outbox.periodNanos());
                sentAt[i] = System.nanoTime();
                producer.send(event, now);
            }
            producer.flush();
        }
        return null;
    }
}
