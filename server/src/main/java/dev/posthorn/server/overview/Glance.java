package dev.posthorn.server.overview;

import dev.posthorn.log.Queries;
import dev.posthorn.server.rollup.Rollups;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is read only if somebody looks.
 *
 * @param now the database's time
 * @param lastHour all subscriptions together
 * @param rates of subscriptions for which something was tried of late
 * @param inDoubt how many forwards of each guard wait for a decision
 */
record Glance(
        Instant now,
        Rollups.Course lastHour,
        Map<String, Rollups.Rate> rates,
        List<Relaying> processes,
        Map<String, Long> inDoubt) {

    /** A process that delivers. */
    record Relaying(
            String instance, Instant startedAt, Instant lastSeenAt, boolean alive, long lanes, long subscriptions) {}

    private static final String PROCESSES = """
            SELECT p.instance, p.started_at, least(p.expires_at - p.ttl, posthorn.clock()) AS seen_at,
                   p.expires_at > posthorn.clock() AS alive, coalesce(o.lanes, 0) AS lanes, coalesce(v.served, 0) AS served
              FROM posthorn.session p
              LEFT JOIN (SELECT session_id, count(*) AS lanes FROM posthorn.lane_owner GROUP BY session_id) o
                     ON o.session_id = p.id
              LEFT JOIN (SELECT session_id, count(*) AS served FROM posthorn.served GROUP BY session_id) v
                     ON v.session_id = p.id
             ORDER BY p.instance, p.started_at
            """;

    private static final String IN_DOUBT = """
            SELECT g.name, d.count
              FROM posthorn.guard g
             CROSS JOIN LATERAL (SELECT count(*) AS count FROM posthorn.guard_forward f
                                  WHERE f.guard = g.name AND f.state = 'IN_DOUBT') d
             WHERE d.count > 0
            """;

    static List<Relaying> processes(Queries queries) {
        return queries.run(
                "reading instances",
                t -> t.list(
                        PROCESSES,
                        Map.of(),
                        row -> new Relaying(
                                row.getString("instance"),
                                Queries.time(row, "started_at"),
                                Queries.time(row, "seen_at"),
                                row.getBoolean("alive"),
                                row.getLong("lanes"),
                                row.getLong("served"))));
    }

    private record Doubt(String guard, long count) {}

    static Map<String, Long> inDoubt(Queries queries) {
        return queries
                .run(
                        "counting what is in doubt",
                        t -> t.list(IN_DOUBT, Map.of(), row -> new Doubt(row.getString("name"), row.getLong("count"))))
                .stream()
                .collect(Collectors.toMap(Doubt::guard, Doubt::count));
    }
}
