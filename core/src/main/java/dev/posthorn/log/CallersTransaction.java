package dev.posthorn.log;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.SQLException;

/** Work that joins a transaction which the caller began and will end. Refused where each statement commits by itself. */
public final class CallersTransaction {

    private final String what;
    private final String part;
    private final String remedy;

    /**
     * All for the messages.
     *
     * @param what the work, as in "recording an event"
     * @param part what is to become part of the transaction
     * @param remedy what the caller does between setAutoCommit(false) and its commit
     */
    public CallersTransaction(String what, String part, String remedy) {
        this.what = what;
        this.part = part;
        this.remedy = remedy;
    }

    /** What is done there. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    public <T> T join(Connection connection, Work<T> work) {
        try {
            if (connection.getAutoCommit()) {
                throw new PosthornException(
                        ErrorCode.AUTO_COMMIT,
                        "the connection is in auto-commit mode, so " + part + " would not be part of your transaction:"
                                + " call setAutoCommit(false), " + remedy + ", then commit");
            }
            return work.run();
        } catch (SQLException e) {
            throw PosthornException.database(what, e);
        }
    }
}
