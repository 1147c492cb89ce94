package dev.posthorn.status;

import dev.posthorn.log.Queries;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a search looks, from the newest event to the oldest, some rows at a time: along the log, or, if it is after
 * events that have rows of their own, along those. What it finds are candidates: the fields are right, the status is
 * still to be looked up.
 */
final class EventTrail {

    /** How many rows of the log one look takes in. */
    static final int LOG_SLICE = 5_000;

    /** How many rows of other tables, each of which needs a look at the log. */
    static final int ROW_SLICE = 1_000;

    static final String LOG = """
            SELECT seq, source, type, key, created_at, true AS fits
              FROM posthorn.event WHERE seq < :before AND seq >= :least ORDER BY seq DESC LIMIT :slice
            """;

    /** One walk per subscription, because that is how dead letters are indexed. */
    static final String LETTERS = """
            SELECT l.seq, min(l.source) AS source, min(l.type) AS type, min(l.key) AS key,
                   min(l.recorded_at) AS created_at, bool_or((l.discarded_at IS NOT NULL) = :discarded) AS fits
              FROM posthorn.subscription s
             CROSS JOIN LATERAL (
                   SELECT seq, source, type, key, recorded_at, discarded_at FROM posthorn.dead_letter
                    WHERE subscription_id = s.id AND seq < :before AND seq >= :least
                    ORDER BY seq DESC LIMIT :slice) l
             WHERE :subscription::text IS NULL OR s.name = :subscription
             GROUP BY l.seq ORDER BY l.seq DESC LIMIT :slice
            """;

    /**
     * Delivery rows together with events of the log that are named one by one. Several subscriptions may have a row of
     * one event, hence the ties. If there are more rows than were read, nothing beyond the last of them counts yet.
     */
    static final String ROWS = """
            SELECT every.seq, e.source, e.type, e.key, e.created_at, every.fits
              FROM (WITH rows AS MATERIALIZED (
                        SELECT seq, (state = 'HELD') = :held AS fits FROM posthorn.delivery
                         WHERE seq < :before AND seq >= :least
                         ORDER BY seq DESC FETCH FIRST (:rows) ROWS WITH TIES)
                    SELECT seq, bool_or(fits) AS fits
                      FROM (SELECT seq, fits FROM rows
                            UNION ALL
                            SELECT seq, true FROM unnest(:live::bigint[]) seq
                             WHERE seq < :before AND seq >= :least
                               AND seq >= coalesce(
                                   (SELECT CASE WHEN count(*) >= :rows THEN min(seq) END FROM rows), 0)) each
                     GROUP BY seq ORDER BY seq DESC LIMIT :slice) every
             CROSS JOIN LATERAL (
                   SELECT source, type, key, created_at FROM posthorn.event WHERE seq = every.seq
                   UNION ALL
                   SELECT source, type, key, created_at FROM posthorn.kept_event WHERE seq = every.seq
                   UNION ALL
                   SELECT l.source, l.type, l.key, l.recorded_at
                     FROM posthorn.subscription s
                     JOIN posthorn.dead_letter l ON l.subscription_id = s.id AND l.seq = every.seq
                    LIMIT 1) e
            """;

    static final String LOOK = """
            WITH looked AS MATERIALIZED ({trail})
            SELECT count(*) AS looked, min(seq) AS last,
                   array_agg(seq ORDER BY seq DESC) FILTER (WHERE fits AND {condition}) AS found
              FROM looked
            """;

    /**
     * Everything that the marks have not settled, as {@link LiveEvents} finds it: beyond the marks inside windows, and
     * after the windows. One more than the bound tells that there is too much to name it one by one, and so does a lane
     * without a mark.
     */
    static final String LIVE = """
            WITH lanes AS MATERIALIZED (
                SELECT m.a::text <> m.b::text AS inside, pg_snapshot_xmin(m.b) AS from_txid, m.seq AS from_seq,
                       m.lane_id IS NULL AS unmarked
                  FROM posthorn.subscription s
                  JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
                  LEFT JOIN posthorn.lane_effective m ON m.lane_id = n.id
                 WHERE :subscription::text IS NULL OR s.name = :subscription),
            inside AS MATERIALIZED (
                SELECT seq FROM posthorn.event
                 WHERE seq > (SELECT min(from_seq) FROM lanes WHERE inside)
                 ORDER BY seq LIMIT :bound::bigint + 1),
            after AS MATERIALIZED (
                SELECT seq FROM posthorn.event
                 WHERE txid >= (SELECT from_txid FROM lanes WHERE NOT unmarked ORDER BY from_txid LIMIT 1)
                   AND seq > (SELECT floor_seq FROM posthorn.cluster)
                 ORDER BY txid, seq LIMIT :bound::bigint + 1)
            SELECT ARRAY(SELECT seq FROM inside UNION SELECT seq FROM after) AS seqs,
                   (SELECT count(*) FROM inside) <= :bound AND (SELECT count(*) FROM after) <= :bound
                       AND NOT EXISTS (SELECT FROM lanes WHERE unmarked) AS complete
            """;

    /** The types that a subscription ever asked for. An empty list wants all. */
    private static final String TYPES = """
            SELECT g.types FROM posthorn.generation g JOIN posthorn.subscription s ON s.id = g.subscription_id
             WHERE s.name = :subscription
            """;

    private static final String OF_ITS_TYPES = "type LIKE ANY (:its_types::text[])";

    /** How many unsettled events are named one by one. */
    static final int LIVE_BOUND = 5_000;

    /**
     * What one look found.
     *
     * @param last the oldest row that was looked at
     */
    record Slice(int looked, long last, List<Long> found) {}

    private final String trail;
    private final Map<String, @Nullable Object> values;
    private String condition;

    private EventTrail(EventQuery query, String trail, int slice) {
        this.trail = trail;
        this.condition = query.condition();
        this.values = new HashMap<>(query.values());
        values.put("subscription", query.subscription());
        values.put("slice", slice);
    }

    private EventTrail with(String name, Object value) {
        values.put(name, value);
        return this;
    }

    static EventTrail of(Queries.Transaction transaction, EventQuery query) throws SQLException {
        EventTrail trail = choose(transaction, query);
        String subscription = query.subscription();
        if (subscription != null) {
            trail.narrow(transaction.list(TYPES, Map.of("subscription", subscription), row ->
                    (String[]) row.getArray("types").getArray()));
        }
        return trail;
    }

    /** A subscription that wants few types would otherwise have the status of every event looked up. */
    private void narrow(List<String[]> typesOfGenerations) {
        if (typesOfGenerations.stream().allMatch(types -> types.length > 0)) {
            condition += " AND " + OF_ITS_TYPES;
            values.put(
                    "its_types",
                    typesOfGenerations.stream().flatMap(Stream::of).distinct().toArray(String[]::new));
        }
    }

    private static EventTrail choose(Queries.Transaction transaction, EventQuery query) throws SQLException {
        Status status = query.status();
        if (status == null) {
            return log(query);
        }
        return switch (status) {
            case FAILED -> new EventTrail(query, LETTERS, ROW_SLICE).with("discarded", false);
            case DISCARDED -> new EventTrail(query, LETTERS, ROW_SLICE).with("discarded", true);
            case HELD -> rows(query, true, ROW_SLICE, new Long[0]);
            case PENDING -> unsettled(transaction, query, ROW_SLICE);
            case SENDING -> unsettled(transaction, query, 0);
            case DELIVERED -> log(query);
        };
    }

    private static EventTrail log(EventQuery query) {
        return new EventTrail(query, LOG, LOG_SLICE);
    }

    private static EventTrail rows(EventQuery query, boolean held, int rows, Long[] live) {
        return new EventTrail(query, ROWS, ROW_SLICE)
                .with("held", held)
                .with("rows", rows)
                .with("live", live);
    }

    /** With a long backlog the newest events of the log are what is asked for, so there is no need for another way. */
    private static EventTrail unsettled(Queries.Transaction transaction, EventQuery query, int rows)
            throws SQLException {
        Map<String, @Nullable Object> lanes = new HashMap<>();
        lanes.put("subscription", query.subscription());
        lanes.put("bound", LIVE_BOUND);
        return transaction
                .first(
                        LIVE,
                        lanes,
                        row -> row.getBoolean("complete") ? rows(query, false, rows, seqs(row, "seqs")) : log(query))
                .orElseThrow();
    }

    private static Long[] seqs(ResultSet row, String column) throws SQLException {
        Array seqs = row.getArray(column);
        return seqs == null ? new Long[0] : (Long[]) seqs.getArray();
    }

    /** Looks at the next rows before one seq and not below another. */
    Slice look(Queries.Transaction transaction, long before, long least) throws SQLException {
        values.put("before", before);
        values.put("least", least);
        String look = LOOK.replace("{trail}", trail).replace("{condition}", condition);
        return transaction
                .first(
                        look,
                        values,
                        row -> new Slice(row.getInt("looked"), row.getLong("last"), List.of(seqs(row, "found"))))
                .orElseThrow();
    }
}
