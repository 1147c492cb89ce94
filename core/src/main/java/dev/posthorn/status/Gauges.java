package dev.posthorn.status;

import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** How subscriptions are doing, for metrics and alerts: read from marks and rows, without scanning the log. */
public final class Gauges {

    private static final String PAGE = """
            SELECT name FROM posthorn.subscription WHERE name > :after ORDER BY name LIMIT :limit
            """;

    private static final String CHOSEN = "name = ANY (:subscriptions::text[])";

    /**
     * Each kind of row is counted once for all. The oldest row's age is that of the event with the least seq. A deferred
     * event does not count: it is not late.
     */
    private static final String ROWS = """
            WITH chosen AS MATERIALIZED (SELECT id, name, generation, paused FROM posthorn.subscription WHERE {chosen}),
            waiting AS MATERIALIZED (
                SELECT s.id, count(*) FILTER (WHERE d.state = 'HELD') AS held,
                       count(*) FILTER (WHERE d.state <> 'HELD') AS waiting,
                       count(d.dead_letter_id) AS replaying,
                       min(d.seq) FILTER (WHERE d.state <> 'DEFERRED') AS oldest_seq
                  FROM posthorn.delivery d
                  JOIN posthorn.lane n ON n.id = d.lane_id
                  JOIN chosen s ON s.id = n.subscription_id
                 GROUP BY s.id),
            letters AS MATERIALIZED (
                SELECT s.id, count(*) AS open, min(l.first_failed_at) AS first
                  FROM posthorn.dead_letter l JOIN chosen s ON s.id = l.subscription_id
                 WHERE l.discarded_at IS NULL
                 GROUP BY s.id),
            troubles AS MATERIALIZED (
                SELECT s.id, min(g.breaker_since) AS breaker_since, count(g.breaker_since) AS breaker_lanes,
                       (array_agg(g.breaker_reason ORDER BY g.breaker_since)
                            FILTER (WHERE g.breaker_since IS NOT NULL))[1] AS breaker_reason,
                       min(g.denial_since) AS denial_since, count(g.denial_since) AS denial_lanes,
                       (array_agg(g.denial_reason ORDER BY g.denial_since)
                            FILTER (WHERE g.denial_since IS NOT NULL))[1] AS denial_reason,
                       sum(g.blocked_keys) AS blocked_keys
                  FROM posthorn.lane_gauge g
                  JOIN posthorn.lane n ON n.id = g.lane_id
                  JOIN chosen s ON s.id = n.subscription_id AND s.generation = n.generation
                 GROUP BY s.id)
            SELECT s.name, s.paused, coalesce(d.held, 0) AS held, coalesce(d.waiting, 0) AS waiting,
                   coalesce(l.open, 0) - coalesce(d.replaying, 0) AS dead_letters,
                   b.breaker_since, b.breaker_lanes, b.breaker_reason, b.denial_since, b.denial_lanes, b.denial_reason,
                   coalesce(b.blocked_keys, 0) AS blocked_keys,
                   extract(epoch FROM posthorn.clock() - oldest.created_at) * 1000 AS oldest_ms,
                   extract(epoch FROM posthorn.clock() - l.first) * 1000 AS oldest_letter_ms
              FROM chosen s
              LEFT JOIN waiting d ON d.id = s.id
              LEFT JOIN letters l ON l.id = s.id
              LEFT JOIN troubles b ON b.id = s.id
              LEFT JOIN LATERAL (
                   SELECT e.created_at FROM posthorn.event e WHERE e.seq = d.oldest_seq
                   UNION ALL
                   SELECT k.created_at FROM posthorn.kept_event k WHERE k.seq = d.oldest_seq LIMIT 1) oldest ON true
             ORDER BY s.name
            """;

    private final Queries queries;
    private final int bound;

    public Gauges(DataSource dataSource, SchemaName schema) {
        this(dataSource, schema, EventStatuses.DEFAULT_BOUND);
    }

    /** Counts up to that many unsettled events before it estimates. */
    public Gauges(DataSource dataSource, SchemaName schema, int bound) {
        this.queries = new Queries(dataSource, schema);
        this.bound = EventStatuses.atLeast("bound", bound, 1);
    }

    /** All subscriptions, by name. */
    public List<SubscriptionGauges> all() {
        return queries.run("reading gauges", t -> read(t, null));
    }

    /** Those whose names come after that one, by name: so many at most. */
    public List<SubscriptionGauges> page(String after, int limit) {
        Map<String, Object> values = Map.of("after", after, "limit", EventStatuses.atLeast("limit", limit, 1));
        return queries.run("reading gauges", t -> read(t, t.list(PAGE, values, row -> row.getString("name"))));
    }

    public SubscriptionGauges of(String subscription) {
        return queries.run("reading gauges", t -> read(t, List.of(subscription))).stream()
                .findFirst()
                .orElseThrow(() -> EventStatuses.unknown(subscription));
    }

    private List<SubscriptionGauges> read(Queries.Transaction transaction, @Nullable List<String> subscriptions)
            throws SQLException {
        String rows = ROWS.replace("{chosen}", subscriptions == null ? "true" : CHOSEN);
        Map<String, Object> values =
                subscriptions == null ? Map.of() : Map.of("subscriptions", subscriptions.toArray(String[]::new));
        Map<String, LiveEvents.Live> live = LiveEvents.of(transaction, subscriptions, bound);
        return transaction.list(rows, values, row -> gauges(row, live));
    }

    private static SubscriptionGauges gauges(ResultSet row, Map<String, LiveEvents.Live> all) throws SQLException {
        String subscription = row.getString("name");
        LiveEvents.Live live = all.getOrDefault(subscription, LiveEvents.Live.NONE);
        long waiting = row.getLong("waiting");
        return new SubscriptionGauges(
                subscription,
                live.pending().plus(waiting),
                older(live.oldestAge(), LiveEvents.age(row, "oldest_ms")),
                row.getLong("held"),
                waiting,
                row.getLong("dead_letters"),
                LiveEvents.age(row, "oldest_letter_ms"),
                trouble(row, "breaker"),
                trouble(row, "denial"),
                row.getBoolean("paused"),
                row.getLong("blocked_keys"));
    }

    private static @Nullable Duration older(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static SubscriptionGauges.@Nullable Trouble trouble(ResultSet row, String which) throws SQLException {
        Instant since = Queries.timeOrNull(row, which + "_since");
        return since == null
                ? null
                : new SubscriptionGauges.Trouble(
                        since,
                        Objects.requireNonNullElse(row.getString(which + "_reason"), ""),
                        row.getInt(which + "_lanes"));
    }
}
