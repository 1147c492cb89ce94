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
 * Starts a new era after the data was moved to another cluster. That cluster's transaction ids are lower than the
 * stored ones, so everything new would look delivered. From here on each lane first drains, by seq, what its old mark
 * does not settle, then reads on from a snapshot of this cluster.
 *
 * <p>To be run once, by the owner of the schema, after the move; the relay refuses to work until then.
 */
public final class Rebase {

    private static final Logger log = LoggerFactory.getLogger(Rebase.class);

    /** Waits for the writers and keeps new ones out until the end of this transaction. */
    private static final String LOCK = "LOCK TABLE posthorn.event, posthorn.lane_mark IN SHARE ROW EXCLUSIVE MODE";

    private static final String IS_NEEDED = """
            SELECT c.system_identifier <> here.system_identifier
                   OR EXISTS (SELECT FROM posthorn.lane_mark
                               WHERE pg_snapshot_xmax(b) > pg_snapshot_xmax(pg_current_snapshot()))
              FROM posthorn.cluster c CROSS JOIN pg_control_system() here
            """;

    /** Beyond everything there is and everything any lane ever read: numbers are never given out twice. */
    private static final String MOVE_SEQUENCE = """
            SELECT setval('posthorn.event_seq', greatest(
                       (SELECT last_value FROM posthorn.event_seq),
                       (SELECT max(seq) FROM posthorn.event),
                       (SELECT max(read_seq) FROM posthorn.lane_mark)))
            """;

    /** A drain that an earlier rebase began and that was finished since. */
    private static final String FORGET_FINISHED_DRAINS = """
            DELETE FROM posthorn.lane_drain d USING posthorn.lane_mark m
             WHERE m.lane_id = d.lane_id AND m.a::text <> '1:1:'
            """;

    private static final String KEEP_OLD_MARKS = """
            INSERT INTO posthorn.lane_drain (lane_id, a, b, seq, read_seq, floor_seq, to_seq)
            SELECT m.lane_id, m.a, m.b, m.seq, m.read_seq, c.floor_seq, 0
              FROM posthorn.lane_mark m CROSS JOIN posthorn.cluster c
                ON CONFLICT (lane_id) DO NOTHING
            """;

    /** A lane that was still draining keeps its place in that: nothing beyond it was read. */
    private static final String START_DRAINING = """
            WITH begun AS (
                UPDATE posthorn.lane_drain SET to_seq = :floor WHERE to_seq = 0 RETURNING lane_id),
            extended AS (
                UPDATE posthorn.lane_drain SET to_seq = :floor WHERE to_seq <> 0)
            UPDATE posthorn.lane_mark m
               SET a = '1:1:', b = pg_current_snapshot(),
                   seq = CASE WHEN lane_id IN (SELECT lane_id FROM begun) THEN 0 ELSE seq END,
                   high_a = NULL, high_b = NULL, high_seq = 0, parked = false, epoch = epoch + 1
            """;

    private static final String FREE_LEASES =
            "UPDATE posthorn.lane_lease SET epoch = epoch + 1, owner = NULL, expires_at = NULL";

    /** A generation that is wanted stays wanted, but the way to it begins again. */
    private static final String FORGET_STOPS = "UPDATE posthorn.subscription SET stop_at = NULL";

    private static final String START_ERA = """
            UPDATE posthorn.cluster
               SET system_identifier = (SELECT system_identifier FROM pg_control_system()),
                   era = era + 1, floor_seq = :floor
            """;

    /** Generations keep the era they began in: their snapshots are of that cluster. */
    private static final String REMEMBER_ERA =
            "INSERT INTO posthorn.era (number, floor_seq) SELECT era, floor_seq FROM posthorn.cluster";

    private final DataSource dataSource;
    private final SchemaName schema;

    public Rebase(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /** Tells whether there was anything to do. */
    public boolean run() {
        try {
            return BorrowedConnection.transaction(dataSource, BorrowedConnection.HOURS, this::run);
        } catch (SQLException e) {
            throw PosthornException.database("rebasing schema " + schema, e);
        }
    }

    private boolean run(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(schema.apply(LOCK));
            boolean needed = isNeeded(statement);
            if (needed) {
                startEra(connection, statement);
            }
            return needed;
        }
    }

    private boolean isNeeded(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(schema.apply(IS_NEEDED))) {
            return row.next() && row.getBoolean(1);
        }
    }

    private void startEra(Connection connection, Statement statement) throws SQLException {
        long floor;
        try (ResultSet row = statement.executeQuery(schema.apply(MOVE_SEQUENCE))) {
            row.next();
            floor = row.getLong(1);
        }
        statement.executeUpdate(schema.apply(FORGET_FINISHED_DRAINS));
        statement.executeUpdate(schema.apply(KEEP_OLD_MARKS));
        update(connection, START_DRAINING, floor);
        statement.executeUpdate(schema.apply(FREE_LEASES));
        statement.executeUpdate(schema.apply(FORGET_STOPS));
        update(connection, START_ERA, floor);
        statement.executeUpdate(schema.apply(REMEMBER_ERA));
        log.info("Schema {}: rebased; events up to {} are drained by their old marks first", schema, floor);
    }

    private void update(Connection connection, String sql, long floor) throws SQLException {
        try (PreparedStatement statement = Sql.of(schema, sql).prepare(connection, Map.of("floor", floor))) {
            statement.executeUpdate();
        }
    }
}
