package dev.posthorn.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on a connection that is given back afterwards, as it came. A host that is gone sends nothing, not even an end, so
 * nobody waits for an answer without a bound.
 */
final class BorrowedConnection {

    private static final Logger log = LoggerFactory.getLogger(BorrowedConnection.class);

    /** For what takes moments. */
    static final Duration SECONDS = Duration.ofSeconds(20);

    /** For what people ask. */
    static final Duration MINUTES = Duration.ofMinutes(2);

    /** For what may have to go over whole tables. */
    static final Duration HOURS = Duration.ofHours(6);

    private BorrowedConnection() {}

    static <T extends @Nullable Object> T use(DataSource dataSource, Duration patience, Session.Work<T> work)
            throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            int before = connection.getNetworkTimeout();
            setTimeout(connection, millis(patience));
            try {
                return work.run(connection);
            } finally {
                putBack(() -> setTimeout(connection, before));
            }
        }
    }

    /** Work that ends by a commit, or by a rollback if it throws. */
    static <T extends @Nullable Object> T transaction(DataSource dataSource, Duration patience, Session.Work<T> work)
            throws SQLException {
        return with(false, dataSource, patience, connection -> {
            try {
                T result = work.run(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                rollBack(connection, e);
                throw e;
            }
        });
    }

    /** Work whose statements each are a transaction. */
    static <T extends @Nullable Object> T statements(DataSource dataSource, Duration patience, Session.Work<T> work)
            throws SQLException {
        return with(true, dataSource, patience, work);
    }

    private static <T extends @Nullable Object> T with(
            boolean autoCommit, DataSource dataSource, Duration patience, Session.Work<T> work) throws SQLException {
        return use(dataSource, patience, connection -> {
            boolean before = connection.getAutoCommit();
            connection.setAutoCommit(autoCommit);
            try {
                return work.run(connection);
            } finally {
                putBack(() -> connection.setAutoCommit(before));
            }
        });
    }

    static int millis(Duration patience) {
        return (int) Math.min(Integer.MAX_VALUE, patience.toMillis());
    }

    static void setTimeout(Connection connection, int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    /** The first error is the one to tell. */
    private static void rollBack(Connection connection, Exception why) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** On a connection that broke there is nothing to put back, and that must not hide how it broke. */
    private static void putBack(Step step) {
        try {
            step.run();
        } catch (SQLException e) {
            log.debug("A connection broke while it was in use: {}", e.getMessage());
        }
    }
}
