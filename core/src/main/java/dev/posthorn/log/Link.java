package dev.posthorn.log;

import static java.util.stream.Collectors.joining;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection that opens itself when first used and again after a failure, each time after a look at which cluster it
 * is on, with its prepared statements and pinned planner settings. Not thread-safe.
 */
final class Link {

    /**
     * A statement prepared while the log was empty would keep its sequential scan for ever. With these settings its plan
     * does not depend on statistics: it walks an index and stops at the limit.
     */
    private static final List<String> PINNED = List.of(
            "enable_seqscan = off",
            "enable_bitmapscan = off",
            "max_parallel_workers_per_gather = 0",
            "plan_cache_mode = force_generic_plan",
            "jit = off");

    /**
     * A process that is frozen in the middle of a settle must not keep its locks: whoever takes over would wait for
     * them. Longer than any pause of a process that is well.
     */
    private static final String BOUNDED = "idle_in_transaction_session_timeout = 5000";

    private static final String CLUSTER = """
            SELECT pg_is_in_recovery() AS in_recovery,
                   here.system_identifier AS here,
                   c.system_identifier AS stored,
                   EXISTS (SELECT FROM posthorn.lane_mark
                            WHERE pg_snapshot_xmax(b) > pg_snapshot_xmax(pg_current_snapshot())) AS behind
              FROM posthorn.cluster c CROSS JOIN pg_control_system() here
            """;

    private final DataSource dataSource;
    private final SchemaName schema;
    private final Guards guards;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private @Nullable Connection connection;
    private long openings;

    Link(DataSource dataSource, SchemaName schema, Guards guards) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.guards = guards;
    }

    SchemaName schema() {
        return schema;
    }

    Guards guards() {
        return guards;
    }

    boolean isOpen() {
        return connection != null;
    }

    /** How often it was opened. */
    long openings() {
        return openings;
    }

    /** The statement, prepared once per connection. */
    PreparedStatement prepare(Connection open, Sql sql) throws SQLException {
        PreparedStatement statement = statements.get(sql.text());
        if (statement == null) {
            statement = open.prepareStatement(sql.text());
            statements.put(sql.text(), statement);
        }
        return statement;
    }

    Connection open() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = dataSource.getConnection();
            connection = open;
            open.setAutoCommit(true);
            open.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            execute(open, "SET " + BOUNDED);
            if (guards.hold(Guard.PINNED_PLANS)) {
                execute(open, pinning());
            }
            checkCluster(open);
            openings++;
        }
        return open;
    }

    static String pinning() {
        return PINNED.stream().map("SET "::concat).collect(joining("; "));
    }

    private void checkCluster(Connection open) throws SQLException {
        try (Statement statement = open.createStatement();
                ResultSet row = statement.executeQuery(schema.apply(CLUSTER))) {
            if (!row.next()) {
                throw new PosthornException(
                        ErrorCode.SCHEMA_MISMATCH, "table " + schema + ".cluster is empty; install the schema again");
            }
            if (row.getBoolean("in_recovery") && guards.hold(Guard.PRIMARY_ONLY)) {
                throw new PosthornException(
                        ErrorCode.IN_RECOVERY,
                        "this server is a standby, whose snapshots do not show which transactions are running: connect"
                                + " the relay to the primary");
            }
            boolean elsewhere = row.getLong("here") != row.getLong("stored");
            if ((elsewhere || row.getBoolean("behind")) && guards.hold(Guard.SAME_CLUSTER)) {
                throw new PosthornException(
                        ErrorCode.CLUSTER_CHANGED,
                        "the marks in schema " + schema + " were made on another cluster (" + row.getLong("stored")
                                + (elsewhere
                                        ? ", this is " + row.getLong("here")
                                        : ", or on this one before it was reset")
                                + "), so new events would look delivered. Stop the writers' traffic if you can and run"
                                + " Rebase once; the relay goes on by itself after that");
            }
        }
    }

    private static void execute(Connection open, String sql) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Gives the connection back as it came, or what is left of it. */
    void close() {
        statements.clear();
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                if (!open.getAutoCommit()) {
                    open.rollback();
                    open.setAutoCommit(true);
                }
                execute(
                        open,
                        Stream.concat(PINNED.stream(), Stream.of(BOUNDED))
                                .map(setting -> "RESET " + setting.substring(0, setting.indexOf(' ')))
                                .collect(joining("; ")));
            } catch (SQLException alreadyBroken) {
                // close below frees what is left
            }
            try {
                open.close();
            } catch (SQLException alreadyClosed) {
                // nothing more to free
            }
        }
    }
}
