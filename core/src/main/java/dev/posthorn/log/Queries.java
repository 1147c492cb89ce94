package dev.posthorn.log;

import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Questions that people ask now and then: each is a transaction of its own on a borrowed connection. Thread-safe. */
public final class Queries {

    /** A bounded scan is bounded only if it walks an index and stops, whatever the statistics say. */
    public static final String WALK_INDEXES =
            "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off";

    private final DataSource dataSource;
    private final SchemaName schema;

    public Queries(DataSource dataSource, SchemaName schema) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.schema = Objects.requireNonNull(schema, "schema");
    }

    /** What to make of one row. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** What to do with an open transaction. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T run(Transaction transaction) throws SQLException;
    }

    /** Runs the work in one transaction; {@code what} names it in the error, if there is one. */
    public <T extends @Nullable Object> T run(String what, Work<T> work) {
        try {
            return BorrowedConnection.transaction(
                    dataSource, BorrowedConnection.MINUTES, connection -> run(connection, work));
        } catch (SQLException e) {
            throw PosthornException.database(what, e);
        }
    }

    private <T extends @Nullable Object> T run(Connection connection, Work<T> work) throws SQLException {
        Transaction transaction = new Transaction(connection, schema);
        T result = work.run(transaction);
        if (transaction.changed) {
            // Whoever asked for it is told that it is done.
            DurableCommit.demand(connection);
        }
        return result;
    }

    /** An open transaction of {@link #run}. */
    public static final class Transaction {

        private final Connection connection;
        private final SchemaName schema;
        private boolean changed;

        private Transaction(Connection connection, SchemaName schema) {
            this.connection = connection;
            this.schema = schema;
        }

        /** From here on its scans of the log walk an index. */
        public Transaction walkingIndexes() throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(WALK_INDEXES);
            }
            return this;
        }

        /** Changes something and tells how many rows it met. */
        public int update(String sql, Map<String, ? extends @Nullable Object> values) throws SQLException {
            changed = true;
            try (PreparedStatement statement = Sql.of(schema, sql).prepare(connection, values)) {
                return statement.executeUpdate();
            }
        }

        public <T> List<T> list(String sql, Map<String, ? extends @Nullable Object> values, Row<T> row)
                throws SQLException {
            changed |= !sql.startsWith("SELECT");
            try (PreparedStatement statement = Sql.of(schema, sql).prepare(connection, values);
                    ResultSet rows = statement.executeQuery()) {
                List<T> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(row.read(rows));
                }
                return List.copyOf(found);
            }
        }

        /** Statements of somebody who prepares them himself, as a part of it. */
        public <T extends @Nullable Object> T run(Session.Work<T> work) throws SQLException {
            changed = true;
            return work.run(connection);
        }

        public SchemaName schema() {
            return schema;
        }

        public <T> Optional<T> first(String sql, Map<String, ? extends @Nullable Object> values, Row<T> row)
                throws SQLException {
            List<T> found = list(sql, values, row);
            return found.isEmpty() ? Optional.empty() : Optional.of(found.get(0));
        }
    }

    /** A time that may be missing. */
    public static @Nullable Instant timeOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    public static Instant time(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(timeOrNull(row, column), column);
    }
}
