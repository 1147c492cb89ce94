package dev.posthorn.relay;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Filter;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions as they are stored, for whoever runs them. Running instances notice a change at their next look,
 * within a second.
 */
public final class Subscriptions {

    private static final String LIST = """
            SELECT s.name, s.generation, s.paused, g.lanes, g.types, g.aggregate_types, g.sources,
                   w.lanes AS wanted_lanes, w.types AS wanted_types, w.aggregate_types AS wanted_aggregate_types,
                   w.sources AS wanted_sources
              FROM posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              LEFT JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
             ORDER BY s.name COLLATE "C"
            """;

    private static final String PAUSE = "UPDATE posthorn.subscription SET paused = :paused WHERE name = :name";

    private static final String INSTANCES = """
            SELECT string_agg(i.id, ', ' ORDER BY i.id)
              FROM posthorn.subscription s JOIN posthorn.instance i ON i.subscription_id = s.id
             WHERE s.name = :name AND i.expires_at > posthorn.clock()
            """;

    /**
     * First the leases and marks, in that order and by themselves: from there on an owner that was only not heard of
     * settles nothing, and the deletion of the rest, which takes longer, meets nobody who waits for it the other way.
     */
    private static final String FENCE_OFF = """
            DELETE FROM posthorn.{table} WHERE lane_id IN (
                SELECT n.id FROM posthorn.lane n JOIN posthorn.subscription s ON s.id = n.subscription_id
                 WHERE s.name = :name)
            """;

    /** Whatever the data source says, so that a wait for a running settle ends in seeing what it did. */
    private static final String BEGIN = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private static final String DELETE = "DELETE FROM posthorn.subscription WHERE name = :name";

    private final DataSource dataSource;
    private final SchemaName schema;

    /**
     * A subscription as it is stored.
     *
     * @param generation counted from 1: how often its filter or its number of lanes has changed
     * @param wanted the change that is pending, if one is
     */
    public record Stored(
            String name,
            int generation,
            int lanes,
            Filter filter,
            boolean paused,
            @Nullable Wanted wanted) {}

    /** What a subscription is to change to as soon as all its lanes have come to one snapshot. */
    public record Wanted(int lanes, Filter filter) {}

    public Subscriptions(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /** All of them, by name. */
    public List<Stored> list() {
        return transaction("listing subscriptions", connection -> {
            List<Stored> found = new ArrayList<>();
            try (PreparedStatement list = Sql.of(schema, LIST).prepare(connection, Map.of());
                    ResultSet row = list.executeQuery()) {
                while (row.next()) {
                    found.add(stored(row));
                }
            }
            return List.copyOf(found);
        });
    }

    private static Stored stored(ResultSet row) throws SQLException {
        int wantedLanes = row.getInt("wanted_lanes");
        return new Stored(
                row.getString("name"),
                row.getInt("generation"),
                row.getInt("lanes"),
                Generations.filter(row, ""),
                row.getBoolean("paused"),
                wantedLanes == 0 ? null : new Wanted(wantedLanes, Generations.filter(row, "wanted_")));
    }

    /**
     * From now on nothing of it is read or sent; what was sent is settled as it is answered. Its events wait in the log,
     * and keep retention from dropping them. A change of its filter or lanes stays pending until it is resumed.
     */
    public void pause(String name) {
        setPaused(name, true);
    }

    /** It goes on where it was paused. Does nothing if it was not. */
    public void resume(String name) {
        setPaused(name, false);
    }

    private void setPaused(String name, boolean paused) {
        String what = (paused ? "pausing " : "resuming ") + name;
        Map<String, Object> values = Map.of("name", name, "paused", paused);
        requireFound(name, transaction(what, connection -> update(connection, PAUSE, values)));
    }

    /**
     * Deletes it with its marks, its waiting events and its dead letters. Refused while an instance serves it, which
     * would only make it anew. The name may be used again.
     */
    public void delete(String name) {
        Map<String, String> values = Map.of("name", name);
        int deleted = transaction("deleting " + name, connection -> {
            refuseWhileServed(connection, values);
            update(connection, FENCE_OFF.replace("{table}", "lane_lease"), values);
            update(connection, FENCE_OFF.replace("{table}", "lane_mark"), values);
            return update(connection, DELETE, values);
        });
        requireFound(name, deleted);
    }

    private void refuseWhileServed(Connection connection, Map<String, String> values) throws SQLException {
        try (PreparedStatement instances = Sql.of(schema, INSTANCES).prepare(connection, values);
                ResultSet row = instances.executeQuery()) {
            row.next();
            String serving = row.getString(1);
            if (serving != null) {
                throw new PosthornException(
                        ErrorCode.CONFLICT,
                        "subscription '" + values.get("name") + "' is served by instance " + serving
                                + "; stop it, or take the subscription out of its settings, and delete then");
            }
        }
    }

    private void requireFound(String name, int rows) {
        if (rows == 0) {
            throw new PosthornException(
                    ErrorCode.NOT_FOUND, "there is no subscription named '" + name + "' in schema " + schema);
        }
    }

    private int update(Connection connection, String sql, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = Sql.of(schema, sql).prepare(connection, values)) {
            return statement.executeUpdate();
        }
    }

    /** Work inside one transaction. */
    private interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    private <T> T transaction(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement begin = connection.createStatement()) {
                begin.execute(BEGIN);
                T result = work.run(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw PosthornException.database(what, e);
        }
    }
}
