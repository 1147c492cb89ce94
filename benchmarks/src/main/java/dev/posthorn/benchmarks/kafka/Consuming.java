package dev.posthorn.benchmarks.kafka;

import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.kafka.consumer.InboxConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads a topic from its beginning, each time as another consumer, and writes a row per event. */
final class Consuming {

    private static final Duration LOOK = Duration.ofMillis(1);

    private static final String BOOK = """
            INSERT INTO booking (event_id, account, amount)
            SELECT * FROM unnest(?::uuid[], ?::text[], ?::int[])
            """;

    private final Database database;
    private final DataSource pool;
    private final String bootstrapServers;
    private final String topic;
    private final int threads;
    private int consumers;

    Consuming(Database database, DataSource pool, String bootstrapServers, String topic, int threads) {
        this.database = database;
        this.pool = pool;
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
        this.threads = threads;
    }

    static void prepare(Database database) throws SQLException {
        database.execute("CREATE TABLE booking (id bigserial PRIMARY KEY, event_id uuid, account text, amount int)");
    }

    /** Events a second, from the first call of the handler until so many had their effect. */
    Turn consume(int events, int batchSize, boolean inbox) throws Exception {
        database.execute("TRUNCATE booking, posthorn.inbox_entry");
        database.comeToRest();
        AtomicReference<@Nullable Stopwatch> watch = new AtomicReference<>();
        AtomicInteger booked = new AtomicInteger();
        InboxConsumer.Builder builder = InboxConsumer.builder(bootstrapServers, pool)
                .name("bench-" + consumers++)
                .topics(topic)
                .threads(threads)
                .batchSize(batchSize)
                .ownRelay(false)
                .listener(new ConsumerListener() {
                    @Override
                    public void processed(String consumer, int count) {
                        booked.addAndGet(count);
                    }
                })
                .batchHandler((connection, batch) -> {
                    watch.compareAndSet(null, new Stopwatch());
                    book(connection, batch);
                });
        try (InboxConsumer consumer = (inbox ? builder : builder.withoutInbox()).build()) {
            consumer.start();
            Patience.until(
                    LOOK,
                    () -> "The consumer has booked " + booked + " of " + events + " events",
                    () -> booked.get() >= events);
            return Objects.requireNonNull(watch.get()).perSecond(booked.get());
        }
    }

    private static void book(Connection connection, List<Event> batch) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(BOOK)) {
            insert.setArray(
                    1,
                    connection.createArrayOf(
                            "uuid", batch.stream().map(Event::id).toArray()));
            insert.setArray(
                    2,
                    connection.createArrayOf(
                            "text", batch.stream().map(Event::key).toArray()));
            insert.setArray(
                    3,
                    connection.createArrayOf(
                            "int",
                            batch.stream().map(event -> event.payload().length).toArray()));
            insert.executeUpdate();
        }
    }
}
