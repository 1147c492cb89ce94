package dev.posthorn.status;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What has become of events: of one, and of how many. Derived from marks and rows, never stored per event. */
public final class EventStatuses {

    /** How many unsettled events are counted before an estimate takes over. */
    public static final int DEFAULT_BOUND = 10_000;

    /** How many events a list names at most. */
    public static final int LONGEST_LIST = 1_000;

    /** Without delivered_at: of a delivered event it is the last_status_at, and would be worked out a second time. */
    static final String STATUS = """
            subscription, status, seq, source, type, key, attempts, next_attempt_at, error_class, error_message,
            last_failed_at, last_status_at, created_at, deleted_at
            """;

    private static final String OF = """
            SELECT {status} FROM posthorn.event_status WHERE event_id = :event_id ORDER BY subscription, seq, deleted_at
            """.replace("{status}", STATUS);

    private static final String FIND_SUBSCRIPTION = "SELECT id FROM posthorn.subscription WHERE name = :name";

    private static final String NAMES = """
            SELECT name FROM posthorn.subscription WHERE name > :after ORDER BY name LIMIT :limit
            """;

    private static final String BEGINNING = "SELECT posthorn.clock() - :period * interval '1 millisecond' AS since";

    private static final String EXISTS = "SELECT 1 FROM posthorn.event WHERE id = :event_id LIMIT 1";

    /** A dead letter that is being sent again counts as waiting, as everywhere. */
    private static final String ROWS = """
            WITH chosen AS MATERIALIZED (
                SELECT id, name FROM posthorn.subscription WHERE name = ANY (:subscriptions::text[])),
            lanes AS MATERIALIZED (SELECT s.id, n.id AS lane_id FROM chosen s JOIN posthorn.lane n ON n.subscription_id = s.id),
            waiting AS MATERIALIZED (
                SELECT n.id, count(*) FILTER (WHERE d.state = 'HELD') AS held,
                       count(*) FILTER (WHERE d.state <> 'HELD') AS waiting,
                       count(d.dead_letter_id) AS replaying
                  FROM lanes n JOIN posthorn.delivery d ON d.lane_id = n.lane_id
                 GROUP BY n.id),
            letters AS MATERIALIZED (
                SELECT s.id, count(*) FILTER (WHERE l.discarded_at IS NULL) AS open,
                       count(*) FILTER (WHERE l.discarded_at IS NOT NULL) AS discarded
                  FROM chosen s JOIN posthorn.dead_letter l ON l.subscription_id = s.id
                 GROUP BY s.id),
            receipts AS MATERIALIZED (
                SELECT r.id, sum(r.count) AS settled
                  FROM (SELECT n.id, r.count FROM lanes n JOIN posthorn.receipt r ON r.lane_id = n.lane_id
                        UNION ALL
                        SELECT n.id, r.count
                          FROM posthorn.front_receipt f CROSS JOIN LATERAL unnest(f.lanes, f.counts) AS r (lane_id, count)
                          JOIN lanes n ON n.lane_id = r.lane_id) r
                 GROUP BY r.id),
            counted AS (
                SELECT s.name, coalesce(d.held, 0) AS held, coalesce(d.waiting, 0) AS waiting,
                       coalesce(l.open, 0) - coalesce(d.replaying, 0) AS failed, coalesce(l.discarded, 0) AS discarded,
                       coalesce(r.settled, 0) AS settled
                  FROM chosen s
                  LEFT JOIN waiting d ON d.id = s.id
                  LEFT JOIN letters l ON l.id = s.id
                  LEFT JOIN receipts r ON r.id = s.id)
            SELECT name, held, waiting, failed, discarded, settled - held - waiting - failed - discarded AS delivered
              FROM counted ORDER BY name
            """;

    /**
     * Candidates of a lane lie beyond its mark up to what it has read, by seq, and after its window up to the high-water,
     * by txid. An event cannot have been on its way for longer than it exists, which tells one just handed over to a
     * lane that had long been idle.
     */
    static final String STUCK =
            """
            SELECT s.name AS subscription, n.index, p.instance AS owner, p.expires_at, m.moved_at,
                   e.id, e.seq, e.type, e.key, e.created_at
              FROM posthorn.lane_effective m
              JOIN posthorn.lane n ON n.id = m.lane_id
              JOIN posthorn.subscription s ON s.id = n.subscription_id AND s.generation = n.generation
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              LEFT JOIN posthorn.lane_owner w ON w.lane_id = n.id
              LEFT JOIN posthorn.session p ON p.id = w.session_id
              LEFT JOIN posthorn.lane_drain o ON o.lane_id = n.id
             CROSS JOIN posthorn.cluster c
             CROSS JOIN LATERAL (
                   SELECT {columns} FROM posthorn.event
                    WHERE seq > m.seq AND seq <= m.read_seq AND m.a::text <> m.b::text
                   UNION
                   SELECT {columns} FROM posthorn.event
                    WHERE txid >= pg_snapshot_xmin(m.b) AND txid < pg_snapshot_xmax(coalesce(m.high_b, m.b))
                      AND seq > c.floor_seq) e
             WHERE (:subscription::text IS NULL OR s.name = :subscription)
               AND m.moved_at <= posthorn.clock() - :stuck_for * interval '1 millisecond'
               AND e.created_at <= posthorn.clock() - :stuck_for * interval '1 millisecond'
               AND n.index = posthorn.key_hash(e.key, e.id) % g.lanes
               AND posthorn.is_handed_over(e.txid, e.seq, c.floor_seq, m)
               AND NOT posthorn.is_settled(e.txid, e.seq, c.floor_seq, m, o)
               AND posthorn.is_wanted(g, e.type, e.aggregate_type, e.source, e.headers)
               AND (g.since IS NULL OR e.created_at >= g.since
                    OR NOT posthorn.is_visible(e.txid,
                           (SELECT coalesce(max(number), -1) FROM posthorn.era WHERE era.floor_seq < e.seq),
                           g.start_b, g.era))
               AND NOT EXISTS (SELECT FROM posthorn.dead_letter d WHERE d.subscription_id = s.id AND d.seq = e.seq)
               AND NOT EXISTS (SELECT FROM posthorn.delivery d JOIN posthorn.lane dn ON dn.id = d.lane_id
                                WHERE d.seq = e.seq AND dn.subscription_id = s.id)
             ORDER BY m.moved_at, s.name, n.index, e.seq LIMIT :limit
            """.replace("{columns}", "txid, seq, id, key, type, aggregate_type, source, headers, created_at");

    private static final String NEAR_LAST_ATTEMPT = """
            SELECT s.name AS subscription, d.event_id, d.seq, d.key, d.attempts, s.max_attempts, d.due_at,
                   d.error_class, d.error_message, d.failed_at
              FROM posthorn.delivery d
              JOIN posthorn.lane n ON n.id = d.lane_id
              JOIN posthorn.subscription s ON s.id = n.subscription_id
             WHERE (:subscription::text IS NULL OR s.name = :subscription)
               AND d.state = 'WAITING' AND d.attempts >= s.max_attempts - :left
             ORDER BY s.max_attempts - d.attempts, d.due_at, d.seq LIMIT :limit
            """;

    private final Queries queries;
    private final int bound;

    public EventStatuses(DataSource dataSource, SchemaName schema) {
        this(dataSource, schema, DEFAULT_BOUND);
    }

    /** Counts up to that many unsettled events before it estimates. */
    public EventStatuses(DataSource dataSource, SchemaName schema, int bound) {
        this.queries = new Queries(dataSource, schema);
        this.bound = atLeast("bound", bound, 1);
    }

    /** What has become of an event for each subscription that wants it; empty if nothing is known of such an event. */
    public Optional<EventStatus> of(UUID eventId) {
        Map<String, Object> values = Map.of("event_id", eventId);
        return queries.run("looking up an event's status", t -> {
            List<SubscriptionStatus> rows = t.list(OF, values, EventStatuses::status);
            boolean known =
                    !rows.isEmpty() || t.first(EXISTS, values, row -> true).isPresent();
            return known ? Optional.of(new EventStatus(eventId, rows)) : Optional.empty();
        });
    }

    /**
     * How many events are in which status. Rows are counted, so are unsettled events up to the bound; delivered ones
     * are the sum of the receipts that are kept, less all that have a row now: off by what failed ahead of its mark.
     */
    public StatusCounts counts(String subscription) {
        return queries.run("counting by status", t -> {
            requireSubscription(t, subscription);
            return Optional.ofNullable(counts(t, List.of(subscription)).get(subscription))
                    .orElseThrow(() -> unknown(subscription));
        });
    }

    /** The same of the subscriptions whose names come after that one, by name: so many at most. */
    public Map<String, StatusCounts> counts(String after, int limit) {
        Map<String, Object> values = Map.of("after", after, "limit", atLeast("limit", limit, 1));
        return queries.run("counting by status", t -> counts(t, t.list(NAMES, values, row -> row.getString("name"))));
    }

    private Map<String, StatusCounts> counts(Queries.Transaction transaction, List<String> subscriptions)
            throws SQLException {
        Map<String, Object> values = Map.of("subscriptions", subscriptions.toArray(String[]::new));
        Map<String, LiveEvents.Live> live = LiveEvents.of(transaction, subscriptions, bound);
        Map<String, StatusCounts> all = new LinkedHashMap<>();
        transaction.list(ROWS, values, row -> {
            String name = row.getString("name");
            return all.put(name, RowCounts.read(row).with(live.getOrDefault(name, LiveEvents.Live.NONE))) == null;
        });
        return all;
    }

    private record RowCounts(long held, long waiting, long failed, long discarded, long delivered) {

        StatusCounts with(LiveEvents.Live live) {
            return new StatusCounts(
                    live.pending().plus(waiting),
                    Count.exactly(waiting),
                    live.sending(),
                    Count.exactly(held),
                    Count.about(delivered),
                    Count.exactly(failed),
                    Count.exactly(discarded));
        }

        static RowCounts read(ResultSet row) throws SQLException {
            return new RowCounts(
                    row.getLong("held"),
                    row.getLong("waiting"),
                    row.getLong("failed"),
                    row.getLong("discarded"),
                    row.getLong("delivered"));
        }
    }

    /**
     * Events that are SENDING in lanes whose mark has not moved for that long, whatever the lease says: a live owner
     * may hang, and a dead one may not have been replaced. At most 1,000, of the lanes that have stood longest first.
     */
    public List<StuckEvent> stuckSending(Duration stuckFor) {
        return stuckSending(stuckFor, null, LONGEST_LIST).events();
    }

    /** The same of one subscription, or with null of all, and so many at most. */
    public EventList<StuckEvent> stuckSending(Duration stuckFor, @Nullable String subscription, int limit) {
        Map<String, @Nullable Object> values = narrowed(subscription, limit);
        values.put("stuck_for", atLeast("stuckFor", stuckFor.toMillis(), 0));
        return queries.run("looking for stuck events", t -> {
            requireIfGiven(t, subscription);
            return EventList.of(t.walkingIndexes().list(STUCK, values, EventStatuses::stuck), limit);
        });
    }

    /** Events that wait for another attempt and have that many left, or fewer. At most 1,000, the nearest first. */
    public List<LastChance> nearLastAttempt(int left) {
        return nearLastAttempt(left, null, LONGEST_LIST).events();
    }

    /** The same of one subscription, or with null of all, and so many at most. */
    public EventList<LastChance> nearLastAttempt(int left, @Nullable String subscription, int limit) {
        Map<String, @Nullable Object> values = narrowed(subscription, limit);
        values.put("left", atLeast("left", left, 0));
        return queries.run("looking for last attempts", t -> {
            requireIfGiven(t, subscription);
            return EventList.of(t.list(NEAR_LAST_ATTEMPT, values, EventStatuses::lastChance), limit);
        });
    }

    /** One more than is wanted, which only tells that there is more. */
    private static Map<String, @Nullable Object> narrowed(@Nullable String subscription, int limit) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscription", subscription);
        values.put("limit", Requests.between("limit", limit, 1, LONGEST_LIST) + 1);
        return values;
    }

    /** A name that is misspelt must not look like a subscription that is well. */
    static void requireIfGiven(Queries.Transaction transaction, @Nullable String subscription) throws SQLException {
        if (subscription != null) {
            requireSubscription(transaction, subscription);
        }
    }

    /** How long the events settled in the last {@code period} took, on average; empty if there were none. */
    public Optional<Latency> averageLatency(String subscription, Duration period) {
        atLeast("period", period.toMillis(), 1);
        return queries.run("measuring latency", t -> {
            long id = requireSubscription(t, subscription);
            return LatencySample.average(t, id, beginning(t, period), null);
        });
    }

    /** The same of the subscriptions that settled most in the period: so many at most, each by a smaller sample. */
    public Map<String, Latency> averageLatencies(Duration period, int most) {
        atLeast("period", period.toMillis(), 1);
        atLeast("most", most, 1);
        return queries.run("measuring latency", t -> LatencySample.averages(t, beginning(t, period), most));
    }

    private static Instant beginning(Queries.Transaction transaction, Duration period) throws SQLException {
        return transaction
                .first(BEGINNING, Map.of("period", period.toMillis()), row -> Queries.time(row, "since"))
                .orElseThrow();
    }

    /** The same of events settled at or after one time and before another. */
    public Optional<Latency> averageLatency(String subscription, Instant from, Instant to) {
        Requests.time("from", from);
        Requests.time("to", to);
        Requests.require(from.isBefore(to), "from is " + from + " and to is " + to + "; from must be before to");
        return queries.run(
                "measuring latency", t -> LatencySample.average(t, requireSubscription(t, subscription), from, to));
    }

    static long requireSubscription(Queries.Transaction transaction, String name) throws SQLException {
        Requests.text("subscription", name, Requests.MAX_NAME);
        return transaction
                .first(FIND_SUBSCRIPTION, Map.of("name", name), row -> row.getLong(1))
                .orElseThrow(() -> unknown(name));
    }

    static PosthornException unknown(String subscription) {
        return new PosthornException(
                ErrorCode.NOT_FOUND,
                "there is no subscription named '" + subscription + "'; check the spelling of subscription");
    }

    static int atLeast(String field, int value, int least) {
        return (int) atLeast(field, (long) value, least);
    }

    private static long atLeast(String field, long value, long least) {
        if (value < least) {
            throw new PosthornException(
                    ErrorCode.INVALID_REQUEST, field + " is " + value + "; it must be at least " + least);
        }
        return value;
    }

    static SubscriptionStatus status(ResultSet row) throws SQLException {
        Status status = Status.valueOf(row.getString("status"));
        Instant since = Queries.timeOrNull(row, "last_status_at");
        return new SubscriptionStatus(
                row.getString("subscription"),
                status,
                row.getLong("seq"),
                row.getString("source"),
                row.getString("type"),
                row.getString("key"),
                row.getInt("attempts"),
                Queries.timeOrNull(row, "next_attempt_at"),
                status == Status.DELIVERED ? since : null,
                row.getString("error_class"),
                row.getString("error_message"),
                Queries.timeOrNull(row, "last_failed_at"),
                since,
                Queries.time(row, "created_at"),
                Queries.timeOrNull(row, "deleted_at"));
    }

    private static StuckEvent stuck(ResultSet row) throws SQLException {
        return new StuckEvent(
                row.getString("subscription"),
                row.getInt("index"),
                row.getString("owner"),
                Queries.timeOrNull(row, "expires_at"),
                Queries.time(row, "moved_at"),
                Objects.requireNonNull(row.getObject("id", UUID.class)),
                row.getLong("seq"),
                row.getString("type"),
                row.getString("key"),
                Queries.time(row, "created_at"));
    }

    private static LastChance lastChance(ResultSet row) throws SQLException {
        return new LastChance(
                row.getString("subscription"),
                row.getObject("event_id", UUID.class),
                row.getLong("seq"),
                row.getString("key"),
                row.getInt("attempts"),
                row.getInt("max_attempts"),
                Queries.time(row, "due_at"),
                row.getString("error_class"),
                row.getString("error_message"),
                Queries.timeOrNull(row, "failed_at"));
    }
}
