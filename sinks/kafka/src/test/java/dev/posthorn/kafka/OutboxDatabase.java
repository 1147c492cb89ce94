package dev.posthorn.kafka;

import dev.posthorn.Outbox;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** A fresh database with an outbox, on a server that all tests of the JVM share. Its events are numbered in their payload. */
final class OutboxDatabase {

    static final String KEY = "the-one-key";

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Started on first use, stopped with the JVM. */
    private static final class Server {
        static final EmbeddedPostgres SHARED = EmbeddedPostgres.builder().start();
    }

    private final DataSource dataSource;
    private final Outbox outbox = Outbox.create();

    private OutboxDatabase(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    static OutboxDatabase create() throws SQLException {
        String name = "kafka_" + COUNT.incrementAndGet();
        try (Connection connection = Server.SHARED.dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        DataSource dataSource = Server.SHARED.dataSource(name);
        new Schema(SchemaName.DEFAULT).install(dataSource);
        return new OutboxDatabase(dataSource);
    }

    DataSource dataSource() {
        return dataSource;
    }

    void record(List<Event> events) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            outbox.record(connection, events);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Records events of one key and of these numbers, the greater excluded. */
    void record(int from, int to) {
        record(IntStream.range(from, to).mapToObj(OutboxDatabase::numbered).toList());
    }

    static Event numbered(int number) {
        return event(number, "order.placed", " ".repeat(100));
    }

    static Event event(int number, String type, String padding) {
        return Event.builder()
                .source("shop")
                .type(type)
                .key(KEY)
                .json(number + " " + padding)
                .build();
    }
}
