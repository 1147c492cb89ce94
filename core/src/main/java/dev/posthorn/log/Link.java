package dev.posthorn.log;

import static java.util.stream.Collectors.joining;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection that opens itself when first used and again after a failure, each time after a look at which cluster it
 * is on, with its prepared statements and pinned planner settings. Not thread-safe, but for {@link #patience} and
 * {@link #endIfStuck}.
 *
 * <p>A host that is gone sends nothing, not even an end: whoever waits for its answer without a bound waits for ever. So
 * the link has a patience, after which it gives its connection up and opens another. A statement that is only slow finds
 * twice the patience when it is tried again, so that it comes to its end some time.
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
                   posthorn.is_elsewhere() AS elsewhere,
                   posthorn.system_identifier() AS here,
                   c.system_identifier AS stored,
                   EXISTS (SELECT FROM posthorn.mark
                            WHERE pg_snapshot_xmax(b) > pg_snapshot_xmax(pg_current_snapshot())) AS behind
              FROM posthorn.cluster c
            """;

    private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_DOUBLINGS = 6;

    /** A transaction is several statements, each with the patience to itself. */
    private static final int STUCK_AFTER = 3;

    private final DataSource dataSource;
    private final SchemaName schema;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    /** By their texts as they are written, each parsed once for all that share the connection. */
    private final Map<String, Sql> parsed = new HashMap<>();

    private final Map<LogStatements.Shape, LogStatements> reads = new HashMap<>();
    private volatile Duration patience = DEFAULT_PATIENCE;
    private volatile @Nullable Connection connection;
    private volatile boolean busy;
    private volatile long busySince;
    private volatile int doublings;
    private int timeout;
    private int timeoutBefore;
    private long openings;

    Link(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    SchemaName schema() {
        return schema;
    }

    Sql sql(String text) {
        return parsed.computeIfAbsent(text, t -> Sql.of(schema, t));
    }

    LogStatements reads(LaneScope scope) {
        return reads.computeIfAbsent(LogStatements.Shape.of(scope), shape -> new LogStatements(schema, shape));
    }

    boolean isOpen() {
        return connection != null;
    }

    /** How often it was opened. */
    long openings() {
        return openings;
    }

    void patience(Duration wanted) {
        patience = wanted;
    }

    /**
     * The bound on answers does not end a wait of the other kind: to send more than fits into the buffers, to a host that
     * takes nothing.
     */
    void endIfStuck() {
        Connection open = connection;
        if (busy && open != null && System.nanoTime() - busySince > STUCK_AFTER * 1_000_000L * wanted()) {
            cut(open);
        }
    }

    private int wanted() {
        return BorrowedConnection.millis(patience.multipliedBy(1L << doublings));
    }

    /** After any failure the connection is given up: whether it is still good is not worth finding out. */
    <T extends @Nullable Object> T use(Session.Work<T> work) throws SQLException {
        try {
            T result = work.run(open());
            doublings = 0;
            return result;
        } catch (SQLException e) {
            if (isBroken(e)) {
                doublings = Math.min(doublings + 1, MOST_DOUBLINGS);
                abandon();
            } else {
                close();
            }
            throw e;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        } finally {
            busy = false;
        }
    }

    /** What cannot be spoken to any more, SQLSTATE class 08. */
    private static boolean isBroken(SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith("08");
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

    private Connection open() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = dataSource.getConnection();
            timeoutBefore = open.getNetworkTimeout();
            timeout = timeoutBefore;
            connection = open;
            beginToWait(open);
            open.setAutoCommit(true);
            open.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            execute(open, "SET " + BOUNDED);
            execute(open, pinning());
            checkCluster(open);
            openings++;
        } else {
            beginToWait(open);
        }
        return open;
    }

    private void beginToWait(Connection open) throws SQLException {
        busySince = System.nanoTime();
        busy = true;
        int wanted = wanted();
        if (timeout != wanted) {
            BorrowedConnection.setTimeout(open, wanted);
            timeout = wanted;
        }
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
            if (row.getBoolean("in_recovery")) {
                throw new PosthornException(
                        ErrorCode.IN_RECOVERY,
                        "this server is a standby, whose snapshots do not show which transactions are running: connect"
                                + " the relay to the primary");
            }
            boolean elsewhere = row.getBoolean("elsewhere");
            if (elsewhere || row.getBoolean("behind")) {
                throw new PosthornException(
                        ErrorCode.CLUSTER_CHANGED,
                        "the marks in schema " + schema + " were made on another cluster ("
                                + difference(elsewhere, row.getLong("stored"), row.getLong("here"))
                                + "), so new events would look delivered. Stop the writers' traffic if you can and run"
                                + " Rebase once; the relay goes on by itself after that");
            }
        }
    }

    private static String difference(boolean elsewhere, long stored, long here) {
        if (!elsewhere) {
            return stored + ", or on this one before it was reset";
        }
        return stored == 0 || here == 0 ? "their row here is a copy" : stored + ", this is " + here;
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
                BorrowedConnection.setTimeout(open, timeoutBefore);
            } catch (SQLException alreadyBroken) {
                // close below frees what is left
            }
            close(open);
        }
    }

    /** Of a connection that is broken nothing is asked any more: it might be silent for as long again. */
    private void abandon() {
        statements.clear();
        Connection open = connection;
        connection = null;
        if (open != null) {
            cut(open);
            close(open);
        }
    }

    /** On a thread of its own, because even to close a socket can mean to wait. */
    private static void cut(Connection open) {
        try {
            open.abort(command -> {
                Thread thread = new Thread(command, "posthorn-cut");
                thread.setDaemon(true);
                thread.start();
            });
        } catch (SQLException alreadyBroken) {
            // then nobody waits for it
        }
    }

    private static void close(Connection open) {
        try {
            open.close();
        } catch (SQLException alreadyClosed) {
            // nothing more to free
        }
    }
}
