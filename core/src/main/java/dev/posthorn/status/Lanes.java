package dev.posthorn.status;

import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Who delivers what at this moment. */
public final class Lanes {

    private static final String LANES = """
            SELECT s.name AS subscription, n.index, CASE WHEN l.expires_at > posthorn.clock() THEN l.owner END AS owner,
                   l.expires_at, m.moved_at, g.breaker_since, g.breaker_reason,
                   g.denial_since, g.denial_reason
              FROM posthorn.subscription s
              JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
              LEFT JOIN posthorn.lane_lease l ON l.lane_id = n.id
              LEFT JOIN posthorn.lane_mark m ON m.lane_id = n.id
              LEFT JOIN posthorn.lane_gauge g ON g.lane_id = n.id
             ORDER BY s.name, n.index
            """;

    private static final String INSTANCES = """
            SELECT s.name AS subscription, i.id
              FROM posthorn.instance i JOIN posthorn.subscription s ON s.id = i.subscription_id
             WHERE i.expires_at > posthorn.clock() ORDER BY s.name, i.id
            """;

    private static final String NEWEST = "SELECT seq, created_at FROM posthorn.event ORDER BY seq DESC LIMIT 1";

    private final Queries queries;

    public Lanes(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** The lanes of all subscriptions, by name and index. */
    public List<LaneState> all() {
        return queries.run(
                "reading lanes",
                t -> t.list(
                        LANES,
                        Map.of(),
                        row -> new LaneState(
                                row.getString("subscription"),
                                row.getInt("index"),
                                row.getString("owner"),
                                Queries.timeOrNull(row, "expires_at"),
                                Queries.timeOrNull(row, "moved_at"),
                                Queries.timeOrNull(row, "breaker_since"),
                                row.getString("breaker_reason"),
                                Queries.timeOrNull(row, "denial_since"),
                                row.getString("denial_reason"))));
    }

    /** The instances that run, once for each subscription that they serve. */
    public List<ServingInstance> instances() {
        return queries.run(
                "reading instances",
                t -> t.list(
                        INSTANCES,
                        Map.of(),
                        row -> new ServingInstance(row.getString("subscription"), row.getString("id"))));
    }

    public LogEnd logEnd() {
        return queries.run(
                "looking at the end of the log",
                t -> t.walkingIndexes()
                        .first(NEWEST, Map.of(), row -> new LogEnd(row.getLong("seq"), Queries.time(row, "created_at")))
                        .orElse(new LogEnd(0, null)));
    }
}
