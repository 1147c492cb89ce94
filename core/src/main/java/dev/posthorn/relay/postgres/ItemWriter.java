package dev.posthorn.relay.postgres;

import dev.posthorn.log.Session;
import dev.posthorn.relay.store.ItemChange;
import dev.posthorn.relay.store.LaneGrant;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes what became of items of replays. Part of a settle: an item and its event end in one transaction.
 *
 * <p>Somebody may have cancelled the replay while an item was on its way, and so have ended it as skipped. Then it is
 * found there, and corrected.
 */
final class ItemWriter {

    private static final String PENDING = "i.state = 'PENDING'";

    /** What a cancel makes of an item. */
    private static final String CANCELLED = "i.state = 'SKIPPED' AND i.reason = 'cancelled'";

    private static final String THESE = "i.replay_id = :replay AND i.subscription_id = :subscription AND {state}";

    private static final String DELIVERED = """
            WITH gone AS (
                DELETE FROM posthorn.replay_item i WHERE {these} AND i.seq = ANY (:seqs::bigint[]) RETURNING 1),
            counted AS (
                INSERT INTO posthorn.replay_delivered AS d (replay_id, lane_id, count)
                SELECT :replay, :lane, count(*) FROM gone HAVING count(*) > 0
                    ON CONFLICT (replay_id, lane_id) DO UPDATE SET count = d.count + excluded.count)
            SELECT count(*) FROM gone
            """;

    private static final String ENDED = """
            WITH ended AS (
                UPDATE posthorn.replay_item i
                   SET state = r.state, reason = r.reason, message = r.message, ended_at = posthorn.clock()
                  FROM unnest(:seqs::bigint[], :states::text[], :reasons::text[], :messages::text[])
                       AS r (seq, state, reason, message)
                 WHERE {these} AND i.seq = r.seq RETURNING 1)
            SELECT count(*) FROM ended
            """;

    /** Before its items, as a cancel does. */
    private static final String LOCK_GUARDED = """
            SELECT FROM posthorn.replay WHERE id = :replay AND stop_at_failure_rate IS NOT NULL FOR NO KEY UPDATE
            """;

    /** Of what ended since somebody last resumed it. Not before there are some: of the first two one may fail. */
    private static final String STOP_IF_TOO_MANY_FAIL = """
            UPDATE posthorn.replay r
               SET state = 'PAUSED',
                   state_reason = format('%s of %s items failed, which is more than the %s allowed',
                                         n.failed, n.failed + n.delivered, r.stop_at_failure_rate)
              FROM (SELECT (SELECT count(*) FROM posthorn.replay_item
                             WHERE replay_id = :replay AND state <> 'PENDING' AND state = 'FAILED')
                               - resumed_failed AS failed,
                           (SELECT coalesce(sum(count), 0) FROM posthorn.replay_delivered
                             WHERE replay_id = :replay) - resumed_delivered AS delivered
                      FROM posthorn.replay WHERE id = :replay) n
             WHERE r.id = :replay AND r.state = 'RUNNING' AND n.failed + n.delivered >= least(10, r.requested)
               AND n.failed > r.stop_at_failure_rate * (n.failed + n.delivered)
            """;

    private final Statements statements;
    private final LaneGrant grant;

    ItemWriter(Session session, LaneGrant grant) {
        this.statements = new Statements(session);
        this.grant = grant;
    }

    void write(Connection connection, List<ItemChange> items) throws SQLException {
        Map<Long, List<ItemChange>> byReplay = new TreeMap<>();
        for (ItemChange item : items) {
            byReplay.computeIfAbsent(item.replayId(), id -> new ArrayList<>()).add(item);
        }
        for (Map.Entry<Long, List<ItemChange>> replay : byReplay.entrySet()) {
            write(connection, replay.getKey(), replay.getValue());
        }
    }

    private void write(Connection connection, long replayId, List<ItemChange> items) throws SQLException {
        List<ItemChange> delivered =
                items.stream().filter(ItemChange.Delivered.class::isInstance).toList();
        List<ItemChange> ended = items.stream()
                .filter(item -> !(item instanceof ItemChange.Delivered))
                .toList();
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("replay", replayId);
        values.put("lane", grant.lease().laneId());
        values.put("subscription", grant.subscriptionId());
        boolean failed = ended.stream().anyMatch(ItemChange.Failed.class::isInstance);
        if (failed) {
            statements.execute(connection, LOCK_GUARDED, values);
        }
        end(connection, DELIVERED, delivered, values);
        values.put("states", column(ended, ItemWriter::state));
        values.put("reasons", column(ended, ItemWriter::reason));
        values.put("messages", column(ended, ItemWriter::message));
        end(connection, ENDED, ended, values);
        if (failed) {
            statements.execute(connection, STOP_IF_TOO_MANY_FAIL, values);
        }
    }

    private void end(Connection connection, String text, List<ItemChange> items, Map<String, @Nullable Object> values)
            throws SQLException {
        if (items.isEmpty()) {
            return;
        }
        values.put("seqs", items.stream().map(ItemChange::seq).toArray(Long[]::new));
        String these = text.replace("{these}", THESE);
        Long found = statements.number(connection, these.replace("{state}", PENDING), values);
        if (found == null || found < items.size()) {
            statements.execute(connection, these.replace("{state}", CANCELLED), values);
        }
    }

    private interface Column {
        @Nullable
        String of(ItemChange item);
    }

    private static @Nullable String[] column(List<ItemChange> items, Column column) {
        return items.stream().map(column::of).toArray(String[]::new);
    }

    private static String state(ItemChange item) {
        return item instanceof ItemChange.Failed ? "FAILED" : "SKIPPED";
    }

    private static @Nullable String reason(ItemChange item) {
        return item instanceof ItemChange.Failed failed
                ? ChangeWriter.label(failed.failure())
                : ((ItemChange.Skipped) item).reason();
    }

    private static @Nullable String message(ItemChange item) {
        return item instanceof ItemChange.Failed failed ? ChangeWriter.message(failed.failure()) : null;
    }
}
