package dev.posthorn.replay;

import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes down a replay with its set, in one transaction. */
final class Freeze {

    private static final String ADD_REPLAY = """
            INSERT INTO posthorn.replay (selection, rate_per_second, max_in_flight, canary, canary_goes_on, trying,
                                         stop_at_failure_rate, requested_by, reason)
            VALUES (jsonb_object(:names::text[], :texts::text[]), :rate, :max_in_flight, :canary, :canary_goes_on, :trying,
                    :stop_at_failure_rate, :requested_by, :reason)
            RETURNING id
            """;

    /** In the order in which they are sent, so that the lanes read neighbours. */
    private static final String ADD_ITEMS = """
            WITH {picked},
            placed AS (
                INSERT INTO posthorn.replay_item (replay_id, subscription_id, seq, event_id, key_hash, dead_letter_id,
                                                  canary, state, reason, ended_at)
                SELECT :replay, subscription_id, seq, event_id, key_hash, dead_letter_id, {canary},
                       CASE WHEN skipped IS NULL THEN 'PENDING' ELSE 'SKIPPED' END, skipped,
                       CASE WHEN skipped IS NOT NULL THEN posthorn.clock() END
                  FROM picked ORDER BY subscription_id, seq
                RETURNING subscription_id, state),
            counted AS (
                SELECT subscription_id, count(*) AS requested, count(*) FILTER (WHERE state = 'PENDING') AS pending
                  FROM placed GROUP BY subscription_id),
            noted AS (
                INSERT INTO posthorn.replay_subscription (replay_id, subscription_id, name, requested)
                SELECT :replay, s.id, s.name, c.requested
                  FROM counted c JOIN posthorn.subscription s ON s.id = c.subscription_id)
            SELECT subscription_id, requested, pending FROM counted
            """;

    private static final String FIRST_ONES =
            "skipped IS NULL AND row_number() OVER (PARTITION BY skipped IS NULL ORDER BY seq, subscription_id) <= :canary";

    /** From here on nobody deletes them before this transaction has ended, and whoever then does sees the items. */
    private static final String HOLD_SUBSCRIPTIONS =
            "SELECT id FROM posthorn.subscription WHERE id = ANY (:ids::bigint[]) ORDER BY id FOR KEY SHARE";

    private static final String COUNT = """
            UPDATE posthorn.replay SET requested = :requested,
                   state = CASE WHEN :pending > 0 THEN state ELSE 'FINISHED' END,
                   state_reason = CASE WHEN :pending > 0 THEN state_reason ELSE 'every item was skipped' END,
                   ended_at = CASE WHEN :pending > 0 THEN NULL ELSE posthorn.clock() END
             WHERE id = :replay
            """;

    /** How many items of a subscription there are. */
    private record Counted(long subscription, long requested, long pending) {}

    /** A replay that was written down. */
    record Frozen(long id, long requested) {}

    private final Queries.Transaction transaction;
    private final ReplayRequest request;
    private final int largest;

    Freeze(Queries.Transaction transaction, ReplayRequest request, int largest) {
        this.transaction = transaction;
        this.request = request;
        this.largest = largest;
    }

    Frozen run(Pick pick, String by) throws SQLException {
        long id = addReplay(by);
        List<Counted> counted = addItems(pick, id);
        long requested = counted.stream().mapToLong(Counted::requested).sum();
        requireFitting(request, requested, largest);
        holdSubscriptions(counted);
        long pending = counted.stream().mapToLong(Counted::pending).sum();
        transaction.update(COUNT, Map.of("replay", id, "requested", requested, "pending", pending));
        return new Frozen(id, requested);
    }

    static void requireNotTooMany(long requested, int largest) {
        if (requested > largest) {
            throw Requests.refuse("there are more than " + largest
                    + " items, which is the most that one replay takes; narrow it down, by time for instance (from, to),"
                    + " and start several");
        }
    }

    private static void requireFitting(ReplayRequest request, long requested, int largest) {
        if (requested == 0) {
            throw Requests.conflict(
                    "nothing matches, so there is nothing to replay; look with a preview (dryRun) at what a"
                            + " selection finds");
        }
        requireNotTooMany(requested, largest);
        if (request.needsReason(requested) && request.reason() == null) {
            throw Requests.refuse("reason is missing; a replay of " + requested + " items, more than "
                    + request.reasonAbove() + ", needs one");
        }
    }

    private long addReplay(String by) throws SQLException {
        List<Map.Entry<String, String>> selection =
                List.copyOf(request.selection().describe().entrySet());
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("names", selection.stream().map(Map.Entry::getKey).toArray(String[]::new));
        values.put("texts", selection.stream().map(Map.Entry::getValue).toArray(String[]::new));
        values.put("rate", request.pace().ratePerSecond());
        values.put("max_in_flight", request.pace().maxInFlight());
        values.put("canary", request.canary());
        values.put("canary_goes_on", request.canaryGoesOn());
        values.put("trying", request.canary() != null);
        values.put("stop_at_failure_rate", request.stopAtFailureRate());
        values.put("requested_by", by);
        values.put("reason", request.reason());
        return transaction.list(ADD_REPLAY, values, row -> row.getLong("id")).get(0);
    }

    private List<Counted> addItems(Pick pick, long id) throws SQLException {
        Map<String, @Nullable Object> values = pick.values(largest + 1L);
        values.put("replay", id);
        values.put("canary", request.canary());
        String sql = pick.statement(ADD_ITEMS.replace("{canary}", request.canary() == null ? "false" : FIRST_ONES));
        return transaction.list(
                sql,
                values,
                row -> new Counted(row.getLong("subscription_id"), row.getLong("requested"), row.getLong("pending")));
    }

    private void holdSubscriptions(List<Counted> counted) throws SQLException {
        Long[] ids = counted.stream().map(Counted::subscription).toArray(Long[]::new);
        if (transaction
                        .list(HOLD_SUBSCRIPTIONS, Map.of("ids", ids), row -> row.getLong("id"))
                        .size()
                < ids.length) {
            throw Requests.conflict("a subscription was deleted while its events were being picked; ask again");
        }
    }
}
