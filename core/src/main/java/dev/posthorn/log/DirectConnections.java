package dev.posthorn.log;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Whether each connection of a data source is a session of the server, as whoever keeps one takes for granted. Behind a
 * pooler that gives a connection another server for each transaction (PgBouncer in transaction mode), what a session sets
 * stays with a server and comes to others, and what it prepared is elsewhere.
 *
 * <p>Asks for nothing but the number of the server's process, so it leaves nothing behind. A pooler gives the server that
 * was freed last, or the one that was freed first, to whoever comes next: so a connection that asks twice, and another
 * that asks at once after it, see what a session cannot. Other clients may come in between; hence several rounds.
 */
public final class DirectConnections {

    private static final int ROUNDS = 20;

    private static final String PROCESS = "SELECT pg_backend_pid()";

    private final DataSource dataSource;
    private volatile boolean known;

    public DirectConnections(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Refuses a data source whose connections share servers. Asks until it is known that they do not. */
    public void require() {
        if (known) {
            return;
        }
        if (areShared()) {
            throw new PosthornException(
                    ErrorCode.INVALID_SETTING,
                    "the connections of this data source share servers, as behind PgBouncer in transaction mode; what a"
                            + " relay sets in its sessions would come to others there. Give it a URL that leads"
                            + " directly to PostgreSQL, or to a pool in session mode. Recording events and the inbox"
                            + " may go on through this one");
        }
        known = true;
    }

    private boolean areShared() {
        try {
            return BorrowedConnection.statements(
                    dataSource,
                    BorrowedConnection.SECONDS,
                    one -> BorrowedConnection.statements(
                            dataSource, BorrowedConnection.SECONDS, other -> areShared(one, other)));
        } catch (SQLException e) {
            throw PosthornException.database("looking at how the database is reached", e);
        }
    }

    private static boolean areShared(Connection one, Connection other) throws SQLException {
        int process = process(one);
        for (int round = 0; round < ROUNDS; round++) {
            if (process(one) != process || process(other) == process) {
                return true;
            }
        }
        return false;
    }

    private static int process(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(PROCESS)) {
            row.next();
            return row.getInt(1);
        }
    }
}
