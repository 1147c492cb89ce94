package dev.posthorn.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Makes a transaction commit synchronously where its role or database does without ({@code synchronous_commit = off}).
 * Whoever is told that something is done acts on it: an offset is committed, a request leaves, an event is delivered. If the
 * server crashes then, it must not have forgotten.
 */
public final class DurableCommit {

    /** Always true. As a condition of a statement that writes anyway this costs no round trip. */
    public static final String CONDITION = """
            (current_setting('synchronous_commit') <> 'off' OR set_config('synchronous_commit', 'on', true) = 'on')
            """;

    private static final String DEMAND = "SELECT WHERE " + CONDITION;

    private DurableCommit() {}

    /** For a transaction that others write in: with a statement of its own. */
    public static void demand(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(DEMAND);
        }
    }
}
