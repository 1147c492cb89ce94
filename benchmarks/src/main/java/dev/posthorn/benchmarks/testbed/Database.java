package dev.posthorn.benchmarks.testbed;

import dev.posthorn.Outbox;
import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.event.Event;
import dev.posthorn.log.PartitionKeeper;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.postgresql.ds.PGSimpleDataSource;

/** One database of the benchmark's server. */
public record Database(PGSimpleDataSource dataSource) {

    private static final int BATCH = 1000;

    private static final int HISTORY_CHUNK = 250_000;

    private static final String HISTORY = """
            INSERT INTO posthorn.event
                   (id, source, type, version, aggregate_type, key, content_type, payload, occurred_at)
            SELECT uuidv7(), 'bench', 'order.placed', 1, 'order', 'order-' || n % 5000, 'application/json',
                   convert_to(repeat(md5(n::text), 16), 'UTF8')::bytea, clock_timestamp()
              FROM generate_series(1, ?) n
            """;

    /** A connection with an open transaction. */
    public Connection transaction() throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The only value of a query. */
    public long number(String sql, Object... values) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Records events and leaves the database as if that were some time ago. */
    public void recordBacklog(int count, Supplier<Event> samples, Output output) throws SQLException {
        output.progress("recording a backlog of %,d events", count);
        record(count, samples);
        comeToRest();
    }

    /** Records events through the outbox, many in a transaction. */
    public void record(int count, Supplier<Event> samples) throws SQLException {
        Outbox outbox = Outbox.create();
        PartitionKeeper partitions = new PartitionKeeper(dataSource, SchemaName.DEFAULT);
        try (Connection connection = transaction()) {
            for (int recorded = 0; recorded < count; recorded += BATCH) {
                List<Event> batch = new ArrayList<>();
                for (int i = recorded; i < Math.min(count, recorded + BATCH); i++) {
                    batch.add(samples.get());
                }
                outbox.record(connection, batch);
                connection.commit();
                if (recorded % (100 * BATCH) == 0) {
                    partitions.keep();
                }
            }
        }
    }

    /** Fills the log with events long gone, as fast as the server can make them up. */
    public void makeUpHistory(int count, Output output) throws SQLException {
        PartitionKeeper partitions = new PartitionKeeper(dataSource, SchemaName.DEFAULT);
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement(HISTORY)) {
            for (int made = 0; made < count; made += HISTORY_CHUNK) {
                partitions.keep();
                insert.setInt(1, Math.min(HISTORY_CHUNK, count - made));
                insert.executeUpdate();
                output.progress("history: %,d events", Math.min(count, made + HISTORY_CHUNK));
            }
        }
        partitions.keep();
    }

    /** What would otherwise happen some time later and hit whoever is being measured then. */
    public void comeToRest() throws SQLException {
        execute("VACUUM (ANALYZE)");
        execute("CHECKPOINT");
    }
}
