package dev.posthorn.benchmarks.hub;

import dev.posthorn.benchmarks.log.PlainTable;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The reference for taking events: a JDBC batch into a table that is defined as the log's partitions are, which the
 * driver makes INSERTs of many rows of, with a commit after each batch.
 */
final class BareInsert implements Publishing {

    static final String CREATE = "CREATE TABLE bare_event (LIKE posthorn.event INCLUDING ALL)";

    /** One line of values, so that the driver can make one INSERT of many. */
    private static final String INSERT =
            "INSERT INTO bare_event (id, source_id, source, type, version, aggregate_type, key, content_type, payload,"
                    + " headers, occurred_at, deliver_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final int batchSize;
    private final List<NewEvents> samples;
    private final List<Connection> connections = new ArrayList<>();

    BareInsert(Database database, int batchSize, List<NewEvents> samples) throws SQLException {
        this.batchSize = batchSize;
        this.samples = samples;
        for (int i = 0; i < samples.size(); i++) {
            connections.add(database.transaction());
        }
    }

    @Override
    public void publish(int connection, int events) throws SQLException {
        Connection to = connections.get(connection);
        NewEvents from = samples.get(connection);
        try (PreparedStatement insert = to.prepareStatement(INSERT)) {
            for (int sent = 0; sent < events; sent += batchSize) {
                for (int i = sent; i < Math.min(events, sent + batchSize); i++) {
                    bind(insert, from.next());
                    insert.addBatch();
                }
                insert.executeBatch();
                to.commit();
            }
        }
    }

    private static void bind(PreparedStatement insert, Event event) throws SQLException {
        PlainTable.bindFields(insert, event);
        insert.setObject(11, Objects.requireNonNull(event.occurredAt()).atOffset(ZoneOffset.UTC));
        insert.setNull(12, Types.TIMESTAMP_WITH_TIMEZONE);
    }

    @Override
    public void close() {
        for (Connection connection : connections) {
            try {
                connection.close();
            } catch (SQLException e) {
                throw new IllegalStateException("Could not close a connection", e);
            }
        }
    }
}
