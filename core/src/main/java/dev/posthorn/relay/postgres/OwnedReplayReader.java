package dev.posthorn.relay.postgres;

import dev.posthorn.log.EventRow;
import dev.posthorn.log.Session;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.subscription.Subscription;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what a lane has to know of replays, and takes note when one has come to its end. */
final class OwnedReplayReader {

    /**
     * A look before the update, which locks the row: nearly always there is nothing to update. Whoever comes second
     * finds the state changed.
     */
    private static final String ADVANCE = """
            WITH through AS MATERIALIZED (
                SELECT r.id, {none_pending} AS ended, r.canary_goes_on AND {none_failed} AS goes_on
                  FROM posthorn.replay_subscription s JOIN posthorn.replay r ON r.id = s.replay_id
                 WHERE s.subscription_id = :subscription AND r.state = 'RUNNING'
                   AND ({none_pending} OR (r.trying AND {no_canary_pending})))
            UPDATE posthorn.replay r
               SET state = CASE WHEN t.ended THEN 'FINISHED' WHEN t.goes_on THEN 'RUNNING' ELSE 'WAITING_FOR_GO' END,
                   state_reason = CASE WHEN t.ended OR t.goes_on THEN NULL ELSE 'the canary is through' END,
                   trying = r.trying AND NOT (t.ended OR t.goes_on),
                   ended_at = CASE WHEN t.ended THEN posthorn.clock() END
              FROM through t WHERE r.id = t.id AND r.state = 'RUNNING'
            """.replace("{none_pending}", none("i.state = 'PENDING'"))
            .replace("{no_canary_pending}", none("i.state = 'PENDING' AND i.canary"))
            .replace("{none_failed}", none("i.state <> 'PENDING' AND i.state = 'FAILED'"));

    private static final String RUNNING = """
            SELECT r.id, r.rate_per_second, r.max_in_flight, r.trying
              FROM posthorn.replay_subscription s JOIN posthorn.replay r ON r.id = s.replay_id
             WHERE s.subscription_id = :subscription AND r.state = 'RUNNING' ORDER BY r.id
            """;

    /**
     * What an incomplete letter lacks is taken from the log, while that has it. An attempt of an event that was delivered
     * at once was not written down: it was the first.
     */
    private static final String ITEMS = """
            SELECT {columns}, i_seq, i_replay, i_letter, attempts, holds_key, discarded,
                   EXISTS (SELECT FROM posthorn.delivery d WHERE d.lane_id = :lane AND d.seq = i_seq) AS has_row FROM (
                SELECT i.seq AS i_seq, i.replay_id AS i_replay, i.dead_letter_id AS i_letter, e.*
                  FROM (SELECT * FROM posthorn.replay_item i
                         WHERE replay_id = :replay AND subscription_id = :subscription AND state = 'PENDING'
                           AND seq > :after AND key_hash % :lanes = :index AND (canary OR NOT :trying)
                         ORDER BY seq LIMIT :limit) i
                  LEFT JOIN LATERAL (
                       SELECT {letter_row}, attempts, holds_key, discarded_at IS NOT NULL AS discarded
                         FROM posthorn.dead_letter l WHERE l.id = i.dead_letter_id AND NOT l.incomplete
                       UNION ALL
                       SELECT {row}, d.attempts, d.holds_key, d.discarded
                         FROM (SELECT seq AS d_seq, attempts, holds_key, discarded_at IS NOT NULL AS discarded
                                 FROM posthorn.dead_letter WHERE id = i.dead_letter_id AND incomplete) d
                         JOIN posthorn.event l ON l.seq = d.d_seq
                       UNION ALL
                       SELECT {row}, coalesce((SELECT max(t.number) FROM posthorn.attempt t
                                                WHERE t.subscription_id = i.subscription_id AND t.seq = i.seq), 1),
                              false, false
                         FROM posthorn.event l WHERE l.seq = i.seq AND i.dead_letter_id IS NULL
                       LIMIT 1) e ON true) found
             ORDER BY i_seq
            """.replace("{columns}", EventRow.COLUMNS)
            .replace("{letter_row}", ofLetter(RowReader.LETTER_ROW))
            .replace("{row}", ofLetter(EventRow.ROW));

    /** While a canary goes ahead, a lane that has none of it keeps nobody waiting. */
    private static final String LANES_BEFORE = """
            SELECT count(*) FROM generate_series(0, :index - 1) before
             WHERE EXISTS (SELECT FROM posthorn.replay_item
                            WHERE replay_id = :replay AND subscription_id = :subscription AND state = 'PENDING'
                              AND key_hash % :lanes = before AND (canary OR NOT :trying))
            """;

    private final Session session;
    private final LaneGrant grant;

    OwnedReplayReader(Session session, LaneGrant grant) {
        this.session = session;
        this.grant = grant;
    }

    /** An event's columns, of which none is the item's own. */
    private static String ofLetter(String row) {
        return row.replace("seq,", "l.seq,").replace(" event_id AS", " l.event_id AS");
    }

    private static String none(String which) {
        return "NOT EXISTS (SELECT FROM posthorn.replay_item i WHERE i.replay_id = r.id AND " + which + ")";
    }

    List<ReplayOrder> running() {
        session.update("ending replays", session.sql(ADVANCE), values());
        return list(RUNNING, values(), row -> {
            double rate = row.getDouble("rate_per_second");
            int inFlight = row.getInt("max_in_flight");
            return new ReplayOrder(
                    row.getLong("id"),
                    rate == 0 ? Subscription.UNLIMITED : rate,
                    inFlight == 0 ? ReplayOrder.ANY_NUMBER : inFlight,
                    row.getBoolean("trying"));
        });
    }

    List<OwnedReplayItem> items(ReplayOrder replay, long afterSeq, int limit) {
        Map<String, @Nullable Object> values = values();
        values.put("replay", replay.id());
        values.put("trying", replay.trying());
        values.put("after", afterSeq);
        values.put("limit", limit);
        return list(ITEMS, values, OwnedReplayReader::item);
    }

    private static OwnedReplayItem item(ResultSet row) throws SQLException {
        long seq = row.getLong("i_seq");
        if (row.getObject("seq") == null) {
            return OwnedReplayItem.skipped(seq, OwnedReplayItem.GONE);
        }
        if (row.getBoolean("discarded")) {
            return OwnedReplayItem.skipped(seq, OwnedReplayItem.DISCARDED);
        }
        Replayed replayed = new Replayed(row.getLong("i_replay"), row.getObject("i_letter", Long.class));
        DeliveryRow event = new DeliveryRow(
                replayed.mark(EventRow.read(row)),
                DeliveryState.REPLAYED,
                row.getInt("attempts"),
                true,
                replayed,
                row.getBoolean("holds_key"),
                false);
        return new OwnedReplayItem(seq, event, null, row.getBoolean("has_row"));
    }

    int lanesBefore(ReplayOrder replay) {
        Map<String, @Nullable Object> values = values();
        values.put("replay", replay.id());
        values.put("trying", replay.trying());
        return list(LANES_BEFORE, values, row -> row.getInt(1)).get(0);
    }

    private Map<String, @Nullable Object> values() {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("lane", grant.lease().laneId());
        values.put("subscription", grant.subscriptionId());
        values.put("lanes", grant.scope().lanes());
        values.put("index", grant.scope().index());
        return values;
    }

    private <T> List<T> list(String text, Map<String, @Nullable Object> values, Session.Reading<T> each) {
        return session.query("looking at replays", session.sql(text), values, rows -> {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(each.from(rows));
            }
            return found;
        });
    }
}
