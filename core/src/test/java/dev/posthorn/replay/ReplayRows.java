package dev.posthorn.replay;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import java.util.stream.LongStream;

/** Dead letters of two subscriptions, and by hand what lanes do with the items of a replay. */
final class ReplayRows {

    final TestDatabase database = TestDatabase.create();
    final TroubleRows rows = new TroubleRows(database);
    final long billing = rows.subscriptionAt("billing", rows.snapshot());
    final long shipping = rows.subscriptionAt("shipping", rows.snapshot());

    /** A new event that the subscription could not take. */
    long letter(long subscription, String type, String key) {
        return rows.deadLetter(subscription, rows.event(type, key), "HTTP 400", "no order 17", "no order #");
    }

    long letter(long subscription) {
        return letter(subscription, "order.placed", "k");
    }

    long[] letters(long subscription, int count) {
        return LongStream.range(0, count).map(i -> letter(subscription)).toArray();
    }

    /** Moves the mark of a subscription behind everything that is there. */
    void settleAll(long subscription) {
        String now = rows.snapshot();
        rows.mark(subscription, now, now, 0);
    }

    /** As a lane does when the sink has taken the first so many. */
    void deliver(long replay, int count) {
        database.execute("""
                WITH gone AS (
                    DELETE FROM posthorn.replay_item WHERE ctid = ANY (ARRAY(
                        SELECT ctid FROM posthorn.replay_item WHERE replay_id = %1$d AND state = 'PENDING'
                         ORDER BY seq LIMIT %2$d)) RETURNING dead_letter_id),
                removed AS (DELETE FROM posthorn.dead_letter WHERE id IN (SELECT dead_letter_id FROM gone))
                INSERT INTO posthorn.replay_delivered (replay_id, lane_id, count) VALUES (%1$d, 1, %2$d)
                    ON CONFLICT (replay_id, lane_id) DO UPDATE SET count = replay_delivered.count + excluded.count
                """.formatted(replay, count));
    }

    /** As a lane does when the sink did not take the first one. */
    void fail(long replay) {
        database.execute("""
                UPDATE posthorn.replay_item SET state = 'FAILED', reason = 'HTTP 500', message = 'oops', ended_at = now()
                 WHERE replay_id = %1$d AND state = 'PENDING' AND seq = (
                       SELECT min(seq) FROM posthorn.replay_item WHERE replay_id = %1$d AND state = 'PENDING')
                """.formatted(replay));
    }

    void state(long replay, String state) {
        database.execute("UPDATE posthorn.replay SET state = '%s', ended_at = %s WHERE id = %d"
                .formatted(state, state.equals("FINISHED") ? "now()" : "NULL", replay));
    }
}
