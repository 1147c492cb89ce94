package dev.posthorn.inbox;

import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Transactions on connections of a data source, repeated if PostgreSQL asks for that. */
final class ManagedTransactions implements Transactions {

    private static final Logger log = LoggerFactory.getLogger(ManagedTransactions.class);

    /** Serialization failure, deadlock: nothing happened, and the same work may well succeed. */
    private static final Set<String> REPEATABLE = Set.of("40001", "40P01");

    private static final int MOST_ATTEMPTS = 10;
    private static final long LONGEST_PAUSE_MS = 20;

    private final DataSource dataSource;

    ManagedTransactions(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T run(Effect<T, E> work) throws E {
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(work);
            } catch (Exception e) {
                if (attempt == MOST_ATTEMPTS || !isRepeatable(e)) {
                    throw e;
                }
                log.debug("Attempt {} of a transaction ended with {}; repeating it", attempt, e.getMessage());
                pause(attempt);
            }
        }
    }

    /** What the work throws comes out as it went in, whatever it is. */
    private <T extends @Nullable Object, E extends Exception> T attempt(Effect<T, E> work) throws E {
        Connection connection = connect();
        boolean autoCommit = begin(connection);
        try {
            T result = work.apply(connection);
            commit(connection);
            return result;
        } catch (Throwable e) {
            rollBack(connection, e);
            throw e;
        } finally {
            giveBack(connection, autoCommit);
        }
    }

    /** Pools say in many ways that they have no connection, some of them without an SQLSTATE. It is an outage. */
    private Connection connect() {
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            throw failed(new SQLTransientConnectionException(e.getMessage(), e.getSQLState(), e));
        }
    }

    /** Tells whether the connection was in auto-commit mode. */
    private static boolean begin(Connection connection) {
        try {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            return autoCommit;
        } catch (SQLException e) {
            giveBack(connection, true);
            throw failed(e);
        }
    }

    private static void commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private static PosthornException failed(SQLException e) {
        return PosthornException.database("an event's transaction", e);
    }

    /** The first error is the one to tell. */
    private static void rollBack(Connection connection, Throwable why) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }

    /** After the end of the transaction nothing may hide how it ended. */
    private static void giveBack(Connection connection, boolean autoCommit) {
        try (connection) {
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            log.debug("A connection broke after its transaction: {}", e.getMessage());
        }
    }

    private static boolean isRepeatable(Throwable error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql && REPEATABLE.contains(String.valueOf(sql.getSQLState()))) {
                return true;
            }
        }
        return false;
    }

    private static void pause(int attempt) {
        try {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(1, 1 + LONGEST_PAUSE_MS * attempt));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
