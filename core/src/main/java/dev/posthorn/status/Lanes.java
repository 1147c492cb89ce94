package dev.posthorn.status;

import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Who delivers what at this moment. */
public final class Lanes {

    private static final String LANES = """
            SELECT s.name AS subscription, n.index, CASE WHEN p.expires_at > posthorn.clock() THEN p.instance END AS owner,
                   p.expires_at, m.moved_at, g.breaker_since, g.breaker_reason,
                   g.denial_since, g.denial_reason
              FROM posthorn.subscription s
              JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
              LEFT JOIN posthorn.lane_owner o ON o.lane_id = n.id
              LEFT JOIN posthorn.session p ON p.id = o.session_id
              LEFT JOIN posthorn.lane_effective m ON m.lane_id = n.id
              LEFT JOIN posthorn.lane_gauge g ON g.lane_id = n.id
             WHERE {chosen} ORDER BY s.name, n.index
            """;

    private static final String CHOSEN = "s.name = ANY (:subscriptions::text[])";

    private static final String COUNTS = """
            SELECT s.name, count(*) AS lanes, count(p.id) FILTER (WHERE p.expires_at > posthorn.clock()) AS owned
              FROM posthorn.subscription s
              JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
              LEFT JOIN posthorn.lane_owner o ON o.lane_id = n.id
              LEFT JOIN posthorn.session p ON p.id = o.session_id
             GROUP BY s.name
            """;

    private static final String RUNNING = """
            SELECT DISTINCT instance FROM posthorn.session p
             WHERE expires_at > posthorn.clock() AND EXISTS (SELECT FROM posthorn.served v WHERE v.session_id = p.id)
             ORDER BY instance
            """;

    private static final String INSTANCES = """
            SELECT s.name AS subscription, p.instance
              FROM posthorn.session p
              JOIN posthorn.served v ON v.session_id = p.id
              JOIN posthorn.subscription s ON s.id = v.subscription_id
             WHERE p.expires_at > posthorn.clock() AND {chosen} ORDER BY s.name, p.instance
            """;

    private static final String NEWEST = "SELECT seq, created_at FROM posthorn.event ORDER BY seq DESC LIMIT 1";

    private final Queries queries;

    public Lanes(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** The lanes of all subscriptions, by name and index. */
    public List<LaneState> all() {
        return lanes(LANES.replace("{chosen}", "true"), Map.of());
    }

    /** The lanes of these subscriptions, by name and index. */
    public List<LaneState> of(Collection<String> subscriptions) {
        return lanes(LANES.replace("{chosen}", CHOSEN), values(subscriptions));
    }

    private static Map<String, Object> values(Collection<String> subscriptions) {
        return Map.of("subscriptions", subscriptions.toArray(String[]::new));
    }

    private List<LaneState> lanes(String lanes, Map<String, Object> values) {
        return queries.run(
                "reading lanes",
                t -> t.list(
                        lanes,
                        values,
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

    /**
     * How many lanes a subscription has.
     *
     * @param owned those with an owner whose lease has not ended
     */
    public record LaneCount(int lanes, int owned) {

        public static final LaneCount NONE = new LaneCount(0, 0);
    }

    /** Of all subscriptions, by their names. */
    public Map<String, LaneCount> counts() {
        return queries.run("counting lanes", t -> {
            Map<String, LaneCount> all = new HashMap<>();
            t.list(
                    COUNTS,
                    Map.of(),
                    row -> all.put(row.getString("name"), new LaneCount(row.getInt("lanes"), row.getInt("owned")))
                            == null);
            return all;
        });
    }

    /** The instances that serve something. */
    public List<String> instances() {
        return queries.run("reading instances", t -> t.list(RUNNING, Map.of(), row -> row.getString("instance")));
    }

    /** The instances that run, once for each of these subscriptions that they serve. */
    public List<ServingInstance> serving(Collection<String> subscriptions) {
        return queries.run(
                "reading instances",
                t -> t.list(
                        INSTANCES.replace("{chosen}", CHOSEN),
                        values(subscriptions),
                        row -> new ServingInstance(row.getString("subscription"), row.getString("instance"))));
    }

    public LogEnd logEnd() {
        return queries.run(
                "looking at the end of the log",
                t -> t.walkingIndexes()
                        .first(NEWEST, Map.of(), row -> new LogEnd(row.getLong("seq"), Queries.time(row, "created_at")))
                        .orElse(new LogEnd(0, null)));
    }
}
