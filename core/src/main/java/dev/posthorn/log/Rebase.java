package dev.posthorn.log;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
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
    private static final String LOCK =
            "LOCK TABLE posthorn.event, posthorn.front, posthorn.lane_mark IN SHARE ROW EXCLUSIVE MODE";

    private static final String IS_NEEDED = """
            SELECT posthorn.is_elsewhere()
                   OR EXISTS (SELECT FROM posthorn.mark
                               WHERE pg_snapshot_xmax(b) > pg_snapshot_xmax(pg_current_snapshot()))
            """;

    /** What still writes the rows of the former cluster over what a rebase makes of them. */
    private static final String REPLICATION = """
            SELECT quote_ident(s.subname) FROM pg_subscription s
             WHERE s.subenabled AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND EXISTS (SELECT FROM pg_subscription_rel r JOIN pg_class c ON c.oid = r.srrelid
                            WHERE r.srsubid = s.oid AND c.relnamespace = :schema::regnamespace)
             ORDER BY 1
            """;

    /**
     * The greatest number that anything bears, or has borne as far as anybody remembers: numbers are never given out
     * twice. A partition that was passed may be dropped; nothing may be put into it any more.
     */
    private static final String FLOOR = """
            SELECT greatest(
                       (SELECT last_value FROM posthorn.event_seq),
                       (SELECT max(seq) FROM posthorn.event),
                       (SELECT max(seq) FROM posthorn.kept_event),
                       (SELECT max(to_seq) - 1 FROM posthorn.event_partition WHERE passed_at IS NOT NULL),
                       (SELECT max(greatest(read_seq, row_seq, seq)) FROM posthorn.lane_mark),
                       (SELECT max(greatest(read_seq, seq)) FROM posthorn.front),
                       (SELECT max(greatest(read_seq, to_seq)) FROM posthorn.lane_drain),
                       (SELECT max(seq) FROM posthorn.delivery),
                       (SELECT max(seq) FROM posthorn.dead_letter),
                       (SELECT max(seq) FROM posthorn.attempt),
                       (SELECT max(seq) FROM posthorn.command),
                       (SELECT max(seq) FROM posthorn.replay_item),
                       (SELECT max(let_go_seq) FROM posthorn.subscription),
                       (SELECT max(floor_seq) FROM posthorn.era))
            """;

    private static final String MOVE_SEQUENCE = "SELECT setval('posthorn.event_seq', :to)";

    /** The other sequences of the schema, with the columns that they number. */
    private static final String SEQUENCES = """
            SELECT s.oid::regclass::text AS sequence, a.attrelid::regclass::text AS numbered, quote_ident(a.attname) AS by
              FROM pg_class s
              JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid
                              AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'i'
              JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
             WHERE s.relkind = 'S' AND s.relnamespace = :schema::regnamespace
            UNION ALL
            SELECT s.oid::regclass::text, a.attrelid::regclass::text, quote_ident(a.attname)
              FROM pg_class s
              JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid
                              AND d.classid = 'pg_attrdef'::regclass
              JOIN pg_attrdef f ON f.oid = d.objid
              JOIN pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
             WHERE s.relkind = 'S' AND s.relnamespace = :schema::regnamespace AND s.relname <> 'event_seq'
            """;

    /** The names are the database's own, quoted by it. */
    private static final String MOVE_BEYOND = """
            SELECT setval('{sequence}', greatest((SELECT last_value FROM {sequence}), (SELECT max({by}) FROM {numbered})))
            """;

    /** What is left of a deleted subscription bears its id. */
    private static final String MOVE_BEYOND_DELETED = """
            SELECT setval(ids::regclass,
                          greatest(nextval(ids::regclass), (SELECT max(id) FROM posthorn.deleted_subscription)))
              FROM pg_get_serial_sequence('posthorn.subscription', 'id') ids
            """;

    /** A lane that is gone may still be named in a receipt. */
    private static final String MOVE_BEYOND_NAMED = """
            SELECT setval(ids::regclass,
                          greatest(nextval(ids::regclass),
                                   (SELECT max(lane) FROM posthorn.front_receipt CROSS JOIN LATERAL unnest(lanes) lane)))
              FROM pg_get_serial_sequence('posthorn.lane', 'id') ids
            """;

    /**
     * From here on each lane stands by itself. Not before early events are renumbered: which those are is told by who wrote
     * the rows of marks.
     */
    private static final String ANCHOR = """
            UPDATE posthorn.lane_mark m
               SET a = e.a, b = e.b, seq = e.seq, read_seq = e.read_seq, moved_at = e.moved_at, front = NULL
              FROM posthorn.lane_effective e
             WHERE e.lane_id = m.lane_id AND m.front IS NOT NULL
            """;

    /** A worker that still has one finds it gone. */
    private static final String END_FRONTS = "DELETE FROM posthorn.front";

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
                UPDATE posthorn.lane_drain SET to_seq = :to WHERE to_seq = 0 RETURNING lane_id),
            extended AS (
                UPDATE posthorn.lane_drain SET to_seq = :to WHERE to_seq <> 0)
            UPDATE posthorn.lane_mark m
               SET a = '1:1:', b = pg_current_snapshot(),
                   seq = CASE WHEN lane_id IN (SELECT lane_id FROM begun) THEN 0 ELSE seq END,
                   high_a = NULL, high_b = NULL, high_seq = 0, parked_for = NULL, epoch = epoch + 1
            """;

    private static final String FREE_LANES = "UPDATE posthorn.lane_owner SET epoch = epoch + 1, session_id = NULL";

    private static final String END_SESSIONS = "DELETE FROM posthorn.session";

    /** By the former cluster's transactions, which would be newer than any here. Whoever begins now looks at everything. */
    private static final String FORGET_CHANGES = "DELETE FROM posthorn.subscription_change";

    /** A generation that is wanted stays wanted, but the way to it begins again. */
    private static final String FORGET_STOPS = "UPDATE posthorn.subscription SET stop_at = NULL";

    private static final String START_ERA = """
            UPDATE posthorn.cluster
               SET system_identifier = posthorn.system_identifier(), era = era + 1, floor_seq = :floor
            """;

    private static final String REMEMBER_ROW = """
            UPDATE posthorn.cluster_row r SET written_by = c.xmin, written_to = c.tableoid FROM posthorn.cluster c
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
        refuseReplication(connection);
        long floor;
        try (ResultSet row = statement.executeQuery(schema.apply(FLOOR))) {
            row.next();
            floor = row.getLong(1);
        }
        int early = EarlyEvents.renumber(connection, schema, floor);
        execute(connection, MOVE_SEQUENCE, Map.of("to", floor + early));
        moveOtherSequences(connection);
        statement.executeUpdate(schema.apply(ANCHOR));
        statement.executeUpdate(schema.apply(END_FRONTS));
        statement.executeUpdate(schema.apply(FORGET_FINISHED_DRAINS));
        statement.executeUpdate(schema.apply(KEEP_OLD_MARKS));
        execute(connection, START_DRAINING, Map.of("to", floor + early));
        statement.executeUpdate(schema.apply(FREE_LANES));
        statement.executeUpdate(schema.apply(END_SESSIONS));
        statement.executeUpdate(schema.apply(FORGET_STOPS));
        statement.executeUpdate(schema.apply(FORGET_CHANGES));
        execute(connection, START_ERA, Map.of("floor", floor));
        statement.executeUpdate(schema.apply(REMEMBER_ROW));
        statement.executeUpdate(schema.apply(REMEMBER_ERA));
        log.info(
                "Schema {}: rebased; events up to {} are drained by their old marks first, then {} that were written"
                        + " here before",
                schema,
                floor,
                early);
    }

    private void refuseReplication(Connection connection) throws SQLException {
        try (PreparedStatement statement = Sql.of(schema, REPLICATION).prepare(connection, itself());
                ResultSet row = statement.executeQuery()) {
            if (row.next()) {
                throw new PosthornException(
                        ErrorCode.CONFLICT,
                        "subscription " + row.getString(1) + " of a logical replication still writes into schema "
                                + schema + ". Stop the writers of the former cluster, wait until it has caught up, then"
                                + " ALTER SUBSCRIPTION " + row.getString(1) + " DISABLE (or drop it) and rebase again");
            }
        }
    }

    /** They may not have come along either. */
    private void moveOtherSequences(Connection connection) throws SQLException {
        List<String> moves = new ArrayList<>();
        try (PreparedStatement statement = Sql.of(schema, SEQUENCES).prepare(connection, itself());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                moves.add(MOVE_BEYOND
                        .replace("{sequence}", row.getString("sequence"))
                        .replace("{numbered}", row.getString("numbered"))
                        .replace("{by}", row.getString("by")));
            }
        }
        try (Statement statement = connection.createStatement()) {
            for (String move : moves) {
                statement.execute(move);
            }
            statement.execute(schema.apply(MOVE_BEYOND_DELETED));
            statement.execute(schema.apply(MOVE_BEYOND_NAMED));
        }
    }

    private Map<String, String> itself() {
        return Map.of("schema", schema.name());
    }

    private void execute(Connection connection, String sql, Map<String, Long> values) throws SQLException {
        try (PreparedStatement statement = Sql.of(schema, sql).prepare(connection, values)) {
            statement.execute();
        }
    }
}
