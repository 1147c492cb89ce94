package dev.posthorn.benchmarks.kafka;

import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The reference for draining: one connection, binary transfer, a keyset SELECT that feeds a producer, and no
 * bookkeeping at all. It would miss events of slow transactions and could not be restarted; it is only as fast as it
 * gets.
 */
final class BareLoop {

    private static final String NEXT = """
            SELECT seq, id, source, type, version, aggregate_type, key, content_type, payload, occurred_at
              FROM posthorn.event WHERE seq > ? ORDER BY seq LIMIT ?
            """;

    private final int batchSize;

    BareLoop(int batchSize) {
        this.batchSize = batchSize;
    }

    /** Events a second, from the first SELECT until Kafka had acknowledged the last. */
    Turn drain(Database database, String bootstrapServers, String topic, int events) throws SQLException {
        try (Connection connection = binary(database.dataSource()).getConnection();
                PreparedStatement next = connection.prepareStatement(NEXT);
                BareProducer producer = new BareProducer(bootstrapServers, topic)) {
            Stopwatch watch = new Stopwatch();
            int sent = drain(next, producer);
            producer.flush();
            Turn turn = watch.perSecond(events);
            if (sent != events) {
                throw new IllegalStateException("The bare loop sent " + sent + " events instead of " + events);
            }
            return turn;
        }
    }

    private int drain(PreparedStatement next, BareProducer producer) throws SQLException {
        int sent = 0;
        long seq = 0;
        for (int found = batchSize; found == batchSize; sent += found) {
            next.setLong(1, seq);
            next.setInt(2, batchSize);
            found = 0;
            try (ResultSet row = next.executeQuery()) {
                while (row.next()) {
                    seq = row.getLong(1);
                    producer.send(
                            event(row), row.getObject(10, OffsetDateTime.class).toInstant());
                    found++;
                }
            }
        }
        return sent;
    }

    private static Event event(ResultSet row) throws SQLException {
        return new Event(
                row.getObject(2, UUID.class),
                null,
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getBytes(9),
                Map.of(),
                null,
                null);
    }

    private static PGSimpleDataSource binary(PGSimpleDataSource ofDatabase) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(ofDatabase.getUrl());
        dataSource.setUser(ofDatabase.getUser());
        dataSource.setPassword(ofDatabase.getPassword());
        dataSource.setPrepareThreshold(-1);
        return dataSource;
    }
}
