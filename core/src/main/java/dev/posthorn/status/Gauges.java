package dev.posthorn.status;

import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** How subscriptions are doing, for metrics and alerts: read from marks and rows, without scanning the log. */
public final class Gauges {

    private static final String NAMES = "SELECT name FROM posthorn.subscription ORDER BY name";

    /**
     * The oldest row's age is that of the event with the least seq, one look per lane. A deferred event does not count:
     * it is not late.
     */
    private static final String ROWS = """
            SELECT s.paused, d.held, d.waiting, l.open - d.replaying AS dead_letters, b.breaker_since, b.breaker_lanes, b.breaker_reason,
                   b.denial_since, b.denial_lanes, b.denial_reason, b.blocked_keys,
                   extract(epoch FROM posthorn.clock() - oldest.created_at) * 1000 AS oldest_ms,
                   extract(epoch FROM posthorn.clock() - l.first) * 1000 AS oldest_letter_ms
              FROM posthorn.subscription s
             CROSS JOIN LATERAL (
                   SELECT count(*) FILTER (WHERE d.state = 'HELD') AS held,
                          count(*) FILTER (WHERE d.state <> 'HELD') AS waiting,
                          count(d.dead_letter_id) AS replaying,
                          min(d.seq) FILTER (WHERE d.state <> 'DEFERRED') AS oldest_seq
                     FROM posthorn.lane n JOIN posthorn.delivery d ON d.lane_id = n.id
                    WHERE n.subscription_id = s.id) d
             CROSS JOIN LATERAL (
                   SELECT count(*) AS open, min(l.first_failed_at) AS first FROM posthorn.dead_letter l
                    WHERE l.subscription_id = s.id AND l.discarded_at IS NULL) l
             CROSS JOIN LATERAL (
                   SELECT min(g.breaker_since) AS breaker_since, count(g.breaker_since) AS breaker_lanes,
                          (array_agg(g.breaker_reason ORDER BY g.breaker_since)
                               FILTER (WHERE g.breaker_since IS NOT NULL))[1] AS breaker_reason,
                          min(g.denial_since) AS denial_since, count(g.denial_since) AS denial_lanes,
                          (array_agg(g.denial_reason ORDER BY g.denial_since)
                               FILTER (WHERE g.denial_since IS NOT NULL))[1] AS denial_reason,
                          coalesce(sum(g.blocked_keys), 0) AS blocked_keys
                     FROM posthorn.lane n JOIN posthorn.lane_gauge g ON g.lane_id = n.id
                    WHERE n.subscription_id = s.id AND n.generation = s.generation) b
              LEFT JOIN LATERAL (
                   SELECT e.created_at FROM posthorn.event e WHERE e.seq = d.oldest_seq
                   UNION ALL
                   SELECT k.created_at FROM posthorn.kept_event k WHERE k.seq = d.oldest_seq LIMIT 1) oldest ON true
             WHERE s.name = :subscription
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
        return queries.run("reading gauges", t -> {
            List<SubscriptionGauges> all = new ArrayList<>();
            for (String name : t.list(NAMES, Map.of(), row -> row.getString(1))) {
                all.add(read(t, name));
            }
            return List.copyOf(all);
        });
    }

    public SubscriptionGauges of(String subscription) {
        return queries.run("reading gauges", t -> read(t, subscription));
    }

    private SubscriptionGauges read(Queries.Transaction transaction, String subscription) throws SQLException {
        LiveEvents.Live live = LiveEvents.of(transaction, subscription, bound);
        return transaction
                .first(ROWS, Map.of("subscription", subscription), row -> gauges(row, subscription, live))
                .orElseThrow(() -> EventStatuses.unknown(subscription));
    }

    private static SubscriptionGauges gauges(ResultSet row, String subscription, LiveEvents.Live live)
            throws SQLException {
        long waiting = row.getLong("waiting");
        return new SubscriptionGauges(
                subscription,
                live.pending().plus(waiting),
                older(live.oldestAge(), age(row, "oldest_ms")),
                row.getLong("held"),
                waiting,
                row.getLong("dead_letters"),
                age(row, "oldest_letter_ms"),
                trouble(row, "breaker"),
                trouble(row, "denial"),
                row.getBoolean("paused"),
                row.getLong("blocked_keys"));
    }

    private static @Nullable Duration age(ResultSet row, String column) throws SQLException {
        double millis = row.getDouble(column);
        return row.wasNull() ? null : Duration.ofMillis(Math.max(0, (long) millis));
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
