package dev.posthorn.benchmarks;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.kafka.consumer.InboxConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Reads a topic from its beginning, each time as another consumer, and writes a row per event. */
final class Consuming {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double PATIENCE_SECONDS = 120;

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
    double rate(int events, int batchSize, boolean inbox) throws SQLException {
        database.execute("TRUNCATE booking, posthorn.inbox_entry");
        database.comeToRest();
        AtomicLong started = new AtomicLong();
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
                    started.compareAndSet(0, System.nanoTime());
                    book(connection, batch);
                });
        try (InboxConsumer consumer = (inbox ? builder : builder.withoutInbox()).build()) {
            consumer.start();
            await(booked, events);
            return booked.get() / Figures.secondsSince(started.get());
        }
    }

    private static void await(AtomicInteger booked, int events) {
        long began = System.nanoTime();
        while (booked.get() < events) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (Figures.secondsSince(began) > PATIENCE_SECONDS) {
                throw new IllegalStateException("The consumer stands still after " + booked + " of " + events
                        + " events; the log above says why");
            }
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
