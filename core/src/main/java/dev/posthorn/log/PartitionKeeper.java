package dev.posthorn.log;

import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps partitions of the log ready ahead of its sequence. A pass that finds the tables busy leaves them alone and is
 * repeated; meanwhile at worst the DEFAULT partition takes the events.
 */
public final class PartitionKeeper {

    private static final Logger log = LoggerFactory.getLogger(PartitionKeeper.class);

    /** Large enough that a burst does not outrun the keeper, small enough that retention can drop one now and then. */
    public static final long DEFAULT_SIZE = 500_000;

    /** Every partition costs each read a little, so from this many on new ones are made twice as large as the last. */
    private static final int MANY = 8;

    /** Beyond any seq that writers may be putting into the DEFAULT partition while the next one is attached. */
    private static final long CLEARANCE = 10_000;

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /**
     * Even to look at the DEFAULT partition can mean to wait, and whoever waits lets others queue behind. READ
     * COMMITTED, whatever the data source says, so that a look under the lock sees what the last keeper did.
     */
    private static final String BEGIN =
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '200ms'";

    private static final String STATE = """
            SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END AS last_value,
                   (SELECT count(*) FROM posthorn.event_partition) AS partitions,
                   coalesce(p.to_seq, 1) AS to_seq,
                   coalesce(p.to_seq - p.from_seq, 0) AS size,
                   coalesce((SELECT max(seq) FROM posthorn.event_default), 0) AS stray
              FROM posthorn.event_seq s
              LEFT JOIN (SELECT from_seq, to_seq FROM posthorn.event_partition ORDER BY to_seq DESC LIMIT 1) p ON true
            """;

    /** One keeper at a time; the others find it done. */
    private static final String TRY_LOCK =
            "SELECT pg_try_advisory_xact_lock(hashtextextended('partitions ' || :schema, 0))";

    private static final String ADD = "SELECT posthorn.add_partition(:from_seq, :to_seq)";

    private final DataSource dataSource;
    private final SchemaName schema;
    private final long size;
    private final Sql state;
    private final Sql tryLock;
    private final Sql add;

    public PartitionKeeper(DataSource dataSource, SchemaName schema) {
        this(dataSource, schema, DEFAULT_SIZE);
    }

    /** @param size how many events a partition holds, as long as there are few */
    public PartitionKeeper(DataSource dataSource, SchemaName schema, long size) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.size = size;
        this.state = Sql.of(schema, STATE);
        this.tryLock = Sql.of(schema, TRY_LOCK);
        this.add = Sql.of(schema, ADD);
    }

    /** Makes partitions until one lies wholly ahead of the sequence. Tells whether that is so now. */
    public boolean keep() {
        try {
            return BorrowedConnection.transaction(dataSource, BorrowedConnection.SECONDS, this::keep);
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                log.debug("Schema {}: the log is in use, the next partition has to wait", schema);
                return false;
            }
            throw PosthornException.database("adding a partition", e);
        }
    }

    private boolean keep(Connection connection) throws SQLException {
        while (true) {
            begin(connection);
            if (isEnough(state(connection))) {
                connection.commit();
                return true;
            }
            if (!lock(connection)) {
                connection.rollback();
                return false;
            }
            State locked = state(connection);
            if (!isEnough(locked)) {
                add(connection, locked);
            }
            connection.commit();
        }
    }

    private static void begin(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(BEGIN);
        }
    }

    private boolean isEnough(State now) {
        return now.ahead() >= Math.max(size, now.size());
    }

    private void add(Connection connection, State now) throws SQLException {
        long from = Math.max(now.toSeq(), 1);
        if (now.stray() >= from || now.lastValue() >= from) {
            from = Math.max(now.stray(), now.lastValue()) + CLEARANCE;
        }
        long next = now.partitions() >= MANY ? 2 * now.size() : Math.max(size, now.size());
        try (PreparedStatement statement = add.prepare(connection, Map.of("from_seq", from, "to_seq", from + next))) {
            statement.execute();
        }
        log.info("Schema {}: added the partition for events {} to {}", schema, from, from + next - 1);
    }

    private boolean lock(Connection connection) throws SQLException {
        try (PreparedStatement statement = tryLock.prepare(connection, Map.of("schema", schema.name()));
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private State state(Connection connection) throws SQLException {
        try (PreparedStatement statement = state.prepare(connection, Map.of());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new State(
                    row.getLong("last_value"),
                    row.getInt("partitions"),
                    row.getLong("to_seq"),
                    row.getLong("size"),
                    row.getLong("stray"));
        }
    }

    private record State(long lastValue, int partitions, long toSeq, long size, long stray) {
        long ahead() {
            return toSeq - Math.max(lastValue, stray);
        }
    }
}
