package dev.posthorn.relay.retention;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Small things that nobody needs any more, each deleted a batch at a time. A time is compared as a subselect: the clock
 * is volatile, and only so can the comparison use an index.
 */
public final class Leftovers {

    /** How many rows one transaction deletes. A batch that is smaller was the last. */
    static final long BATCH = 1000;

    /** So that what a receipt says about an event lasts as long as the event. */
    private static final Duration RECEIPTS_LONGER = Duration.ofDays(1);

    private static final Duration ANSWERED_COMMANDS = Duration.ofDays(30);
    private static final Duration ENDED_REPLAYS = Duration.ofDays(90);
    private static final Duration EXPIRED_SESSIONS = Duration.ofDays(1);

    private static final String BEFORE = "(SELECT posthorn.clock() - :age * interval '1 millisecond')";

    private static final String STRAYS = "SELECT posthorn.delete_strays({before}, {batch})";

    private static final String ATTEMPTS = """
            DELETE FROM posthorn.attempt WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM posthorn.attempt WHERE started_at < {before} ORDER BY started_at LIMIT {batch}))
            """;

    /** Consumer by consumer, each by its own period if it has one. One that is null is never over. */
    private static final String INBOX_ENTRIES = """
            DELETE FROM posthorn.inbox_entry WHERE ctid = ANY (ARRAY(
                WITH RECURSIVE named AS (
                    (SELECT consumer FROM posthorn.inbox_entry ORDER BY consumer LIMIT 1)
                    UNION ALL
                    SELECT (SELECT e.consumer FROM posthorn.inbox_entry e WHERE e.consumer > n.consumer
                             ORDER BY e.consumer LIMIT 1)
                      FROM named n WHERE n.consumer IS NOT NULL)
                SELECT old.ctid
                  FROM named n
                  LEFT JOIN posthorn.inbox_retention r ON r.consumer = n.consumer
                 CROSS JOIN LATERAL (
                    SELECT e.ctid FROM posthorn.inbox_entry e
                     WHERE e.consumer = n.consumer
                       AND e.entered_at < (SELECT posthorn.clock()) - interval '1 millisecond'
                                          * CASE WHEN r.consumer IS NULL THEN :age::bigint ELSE r.entries_ms END
                     ORDER BY e.entered_at LIMIT {batch}) old
                 LIMIT {batch}))
            """;

    private static final String OWN_ENTRIES = """
            DELETE FROM posthorn.inbox_entry WHERE ctid = ANY (ARRAY(
                SELECT old.ctid FROM unnest(:consumers::text[]) AS named (consumer) CROSS JOIN LATERAL (
                    SELECT e.ctid FROM posthorn.inbox_entry e
                     WHERE e.consumer = named.consumer AND e.entered_at < {before}
                     ORDER BY e.entered_at LIMIT {batch}) old
                 LIMIT {batch}))
            """;

    /** Not those of a subscription that was deleted: they alone tell what it had delivered. */
    private static final String RECEIPTS = """
            DELETE FROM posthorn.receipt WHERE ctid = ANY (ARRAY(
                SELECT old.ctid FROM posthorn.subscription s JOIN posthorn.lane n ON n.subscription_id = s.id
                 CROSS JOIN LATERAL (
                    SELECT r.ctid FROM posthorn.receipt r WHERE r.lane_id = n.id AND r.settled_at < {before}
                     ORDER BY r.settled_at LIMIT {batch}) old
                 LIMIT {batch}))
            """;

    private static final String FRONT_RECEIPTS = """
            DELETE FROM posthorn.front_receipt WHERE ctid = ANY (ARRAY(
                SELECT f.ctid FROM posthorn.front_receipt f
                 WHERE f.settled_at < {before}
                   AND NOT f.lanes && ARRAY(SELECT n.id FROM posthorn.deleted_subscription d
                                              JOIN posthorn.lane n ON n.subscription_id = d.id)
                 ORDER BY f.settled_at LIMIT {batch}))
            """;

    private static final String COMMANDS = """
            DELETE FROM posthorn.command WHERE id IN (
                SELECT id FROM posthorn.command WHERE answered_at < {before} ORDER BY answered_at LIMIT {batch})
            """;

    private static final String SESSIONS = "DELETE FROM posthorn.session WHERE expires_at < {before}";

    /** Not one that may still get a lane. */
    private static final String FRONTS = """
            DELETE FROM posthorn.front f
             WHERE f.moved_at < {before} AND f.ended
               AND NOT EXISTS (SELECT FROM posthorn.lane_mark m WHERE m.front = f.id)
            """;

    private static final String KEPT_EVENTS = """
            DELETE FROM posthorn.kept_event WHERE seq IN (
                SELECT k.seq FROM posthorn.kept_event k
                 WHERE NOT EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = k.seq) LIMIT {batch})
            """;

    /**
     * Not one that is being sent again or about to be, because that takes the event from here; nor one that holds its
     * key, because its lane would not notice and the key would wait for nothing.
     */
    private static final String DEAD_LETTERS = """
            DELETE FROM posthorn.dead_letter l USING (
                SELECT old.id FROM posthorn.subscription s CROSS JOIN LATERAL (
                    SELECT o.id FROM posthorn.dead_letter o
                     WHERE o.subscription_id = s.id AND o.last_failed_at < {before}
                       AND o.seq < (SELECT coalesce(min(e.seq), 9223372036854775807) FROM posthorn.event e)
                       AND (o.discarded_at IS NOT NULL OR NOT o.holds_key)
                       AND NOT EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = o.seq AND d.dead_letter_id = o.id)
                       AND NOT EXISTS (SELECT FROM posthorn.replay_item i
                                        WHERE i.subscription_id = s.id AND i.seq = o.seq AND i.state = 'PENDING')
                       AND NOT EXISTS (SELECT FROM posthorn.command c
                                        WHERE c.subscription_id = s.id AND c.answered_at IS NULL
                                          AND (c.seq = o.seq OR c.key = o.key))
                     ORDER BY o.last_failed_at LIMIT {batch}) old
                 LIMIT {batch}) due
             WHERE l.id = due.id AND l.last_failed_at < {before}
            """;

    /** What is left of them serves the status of events of the log. */
    private static final String PURGED_LETTERS = """
            DELETE FROM posthorn.dead_letter WHERE id IN (
                SELECT id FROM posthorn.dead_letter
                 WHERE purged_at IS NOT NULL
                   AND seq < (SELECT coalesce(min(e.seq), 9223372036854775807) FROM posthorn.event e)
                 ORDER BY seq LIMIT {batch})
            """;

    /** The items of replays that have ended, then the replays that have no items left. */
    private static final String REPLAY_ITEMS = """
            DELETE FROM posthorn.replay_item WHERE ctid = ANY (ARRAY(
                SELECT i.ctid FROM posthorn.replay r JOIN posthorn.replay_item i ON i.replay_id = r.id
                 WHERE r.ended_at < {before} AND i.state <> 'PENDING' LIMIT {batch}))
            """;

    private static final String REPLAYS = """
            DELETE FROM posthorn.replay r WHERE r.ended_at < {before}
               AND NOT EXISTS (SELECT FROM posthorn.replay_item i WHERE i.replay_id = r.id AND i.state <> 'PENDING')
            """;

    /** Their marks and owners went with their generation; they stayed for their receipts. */
    private static final String FORMER_LANES = """
            DELETE FROM posthorn.lane n USING posthorn.subscription s
             WHERE s.id = n.subscription_id AND n.generation < s.generation
               AND NOT EXISTS (SELECT FROM posthorn.receipt r WHERE r.lane_id = n.id)
               AND NOT EXISTS (SELECT FROM posthorn.lane_mark m WHERE m.lane_id = n.id)
               AND NOT EXISTS (SELECT FROM posthorn.delivery d WHERE d.lane_id = n.id)
            """;

    /** Of a subscription that was deleted, when the log has no event any more that it may have delivered. */
    private static final String NO_EVENT_IS_LEFT =
            "NOT EXISTS (SELECT FROM posthorn.event e WHERE e.seq <= d.last_seq)";

    private static final String ATTEMPTS_OF_DELETED = """
            DELETE FROM posthorn.attempt WHERE ctid = ANY (ARRAY(
                SELECT a.ctid FROM posthorn.deleted_subscription d JOIN posthorn.attempt a ON a.subscription_id = d.id
                 WHERE {no_event_is_left} LIMIT {batch}))
            """;

    private static final String RECEIPTS_OF_DELETED = """
            DELETE FROM posthorn.receipt WHERE ctid = ANY (ARRAY(
                SELECT r.ctid FROM posthorn.deleted_subscription d JOIN posthorn.lane n ON n.subscription_id = d.id
                  JOIN posthorn.receipt r ON r.lane_id = n.id WHERE {no_event_is_left} LIMIT {batch}))
            """;

    private static final String LANES_OF_DELETED = """
            DELETE FROM posthorn.lane n USING posthorn.deleted_subscription d
             WHERE n.subscription_id = d.id AND {no_event_is_left}
               AND NOT EXISTS (SELECT FROM posthorn.receipt r WHERE r.lane_id = n.id)
            """;

    private static final String GENERATIONS_OF_DELETED = """
            DELETE FROM posthorn.generation g USING posthorn.deleted_subscription d
             WHERE g.subscription_id = d.id AND {no_event_is_left}
               AND NOT EXISTS (SELECT FROM posthorn.lane n WHERE n.subscription_id = d.id)
            """;

    private static final String DELETED_SUBSCRIPTIONS = """
            DELETE FROM posthorn.deleted_subscription d
             WHERE {no_event_is_left}
               AND NOT EXISTS (SELECT FROM posthorn.generation g WHERE g.subscription_id = d.id)
               AND NOT EXISTS (SELECT FROM posthorn.attempt a WHERE a.subscription_id = d.id)
            """;

    /** One kind of them. delete: a statement that deletes a batch and answers with the number of rows. */
    record Kind(String what, String delete, Map<String, ? extends @Nullable Object> values) {}

    private Leftovers() {}

    static List<Kind> of(Retention retention) {
        List<Kind> kinds = new ArrayList<>();
        Duration log = retention.log();
        if (log != null) {
            kinds.add(kind("events of the DEFAULT partition", STRAYS, log));
            kinds.add(kind("receipts", counted(RECEIPTS), log.plus(RECEIPTS_LONGER)));
            kinds.add(kind("receipts of fronts", counted(FRONT_RECEIPTS), log.plus(RECEIPTS_LONGER)));
        }
        if (retention.attempts() != null) {
            kinds.add(kind("attempts", counted(ATTEMPTS), retention.attempts()));
        }
        if (retention.deadLetters() != null) {
            kinds.add(kind("dead letters", counted(DEAD_LETTERS), retention.deadLetters()));
        }
        kinds.add(kind("purged dead letters", counted(PURGED_LETTERS), Duration.ZERO));
        kinds.add(kind("inbox entries", counted(INBOX_ENTRIES), retention.inboxEntries()));
        kinds.add(kind("commands", counted(COMMANDS), ANSWERED_COMMANDS));
        kinds.add(kind("items of replays", counted(REPLAY_ITEMS), ENDED_REPLAYS));
        kinds.add(kind("replays", counted(REPLAYS), ENDED_REPLAYS));
        kinds.add(kind("sessions", counted(SESSIONS), EXPIRED_SESSIONS));
        kinds.add(kind("fronts", counted(FRONTS), EXPIRED_SESSIONS));
        kinds.add(kind("copies of events", counted(KEPT_EVENTS), Duration.ZERO));
        kinds.add(kind("lanes", counted(FORMER_LANES), Duration.ZERO));
        kinds.add(kind("attempts of deleted subscriptions", counted(ATTEMPTS_OF_DELETED), Duration.ZERO));
        kinds.add(kind("receipts of deleted subscriptions", counted(RECEIPTS_OF_DELETED), Duration.ZERO));
        kinds.add(kind("lanes of deleted subscriptions", counted(LANES_OF_DELETED), Duration.ZERO));
        kinds.add(kind("generations of deleted subscriptions", counted(GENERATIONS_OF_DELETED), Duration.ZERO));
        kinds.add(kind("deleted subscriptions", counted(DELETED_SUBSCRIPTIONS), Duration.ZERO));
        return kinds;
    }

    /** What a consumer forgets that runs a relay for itself alone. */
    static List<Kind> of(OwnEntries own) {
        return List.of(kind(
                "inbox entries",
                counted(OWN_ENTRIES),
                Map.of(
                        "age", own.age().toMillis(),
                        "consumers", own.consumers().toArray(String[]::new))));
    }

    private static Kind kind(String what, String sql, @Nullable Duration age) {
        return kind(what, sql, Collections.singletonMap("age", age == null ? null : age.toMillis()));
    }

    private static Kind kind(String what, String sql, Map<String, ? extends @Nullable Object> values) {
        return new Kind(
                what,
                sql.replace("{before}", BEFORE)
                        .replace("{no_event_is_left}", NO_EVENT_IS_LEFT)
                        .replace("{batch}", String.valueOf(BATCH)),
                values);
    }

    private static String counted(String delete) {
        return "WITH gone AS (" + delete + " RETURNING 1) SELECT count(*) FROM gone";
    }
}
