package dev.posthorn.relay.postgres;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.EventRow;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Session;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Replayed;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads a lane's delivery rows, dead letters and commands. Keeps nothing: made for one look. */
public final class RowReader {

    private static final String MINE = "posthorn.key_hash(key, event_id) % :lanes = :index";

    /** A dead letter's event, as a row of the log. */
    static final String LETTER_ROW =
            EventRow.ROW.replace(" id,", " event_id AS id,").replace("created_at", "recorded_at AS created_at");

    private static final String BLOCKED_KEYS = """
            SELECT key, waiting, holding, total FROM (
                SELECT key, waiting, holding, count(*) OVER () AS total,
                       row_number() OVER (ORDER BY waiting + holding > 0) AS number
                  FROM (
                    SELECT key, sum(waiting) AS waiting, sum(holding) AS holding FROM (
                        SELECT key, count(*) FILTER (WHERE state = 'WAITING') AS waiting, 0 AS holding
                          FROM posthorn.delivery
                         WHERE lane_id = :lane AND key IS NOT NULL AND state <> 'DEFERRED' GROUP BY key
                        UNION ALL
                        SELECT key, 0, count(*) FROM posthorn.dead_letter
                         WHERE subscription_id = :subscription AND holds_key AND discarded_at IS NULL AND {mine}
                         GROUP BY key
                    ) either GROUP BY key
                  ) each
            ) numbered WHERE number <= :limit OR waiting + holding = 0
            """.replace("{mine}", MINE);

    private static final String OF_KEY = "hashtextextended(key, 0) = hashtextextended(k COLLATE \"C\", 0) AND key = k";

    private static final String BLOCKED = """
            SELECT k AS key, d.waiting, l.holding FROM unnest(:keys::text[]) AS k
             CROSS JOIN LATERAL (
                   SELECT count(*) AS waiting FROM posthorn.delivery
                    WHERE lane_id = :lane AND {of_key} AND state = 'WAITING') d
             CROSS JOIN LATERAL (
                   SELECT count(*) AS holding FROM posthorn.dead_letter
                    WHERE subscription_id = :subscription AND {of_key} AND holds_key AND discarded_at IS NULL) l
             WHERE d.waiting > 0 OR l.holding > 0
                OR EXISTS (SELECT FROM posthorn.delivery WHERE lane_id = :lane AND {of_key} AND state = 'HELD')
            """.replace("{of_key}", OF_KEY);

    private static final String KNOWN = """
            SELECT seq FROM posthorn.delivery WHERE lane_id = :lane AND seq = ANY (:seqs::bigint[])
            UNION
            SELECT seq FROM posthorn.dead_letter
             WHERE subscription_id = :subscription AND seq = ANY (:seqs::bigint[])
            """;

    private static final String AGENDA = """
            SELECT (SELECT (extract(epoch FROM min(due_at) - posthorn.clock()) * 1000000)::bigint
                      FROM posthorn.delivery WHERE lane_id = :lane AND state <> 'HELD') AS next_due,
                   EXISTS (SELECT FROM posthorn.command
                            WHERE subscription_id = :subscription AND answered_at IS NULL AND {mine}) AS commands,
                   EXISTS (SELECT FROM posthorn.replay_subscription s JOIN posthorn.replay r ON r.id = s.replay_id
                            WHERE s.subscription_id = :subscription AND r.state = 'RUNNING') AS replays
            """.replace("{mine}", MINE);

    /** A row's event: from the log, or the copy that was kept, or the dead letter that is being sent again. */
    private static final String ROWS = """
            SELECT {columns}, d_state, d_attempts, d_due, d_replay, d_letter, d_holds, d_unanswered FROM (
                SELECT e.*, d.state AS d_state, d.attempts AS d_attempts,
                       coalesce(d.due_at <= posthorn.clock(), true) AS d_due,
                       coalesce(d.replay_id, 0 * d.dead_letter_id) AS d_replay, d.dead_letter_id AS d_letter,
                       coalesce(l.holds_key, false) AS d_holds,
                       d.unanswered AS d_unanswered, d.due_at AS d_due_at, d.place AS d_place
                  FROM (SELECT * FROM posthorn.delivery WHERE lane_id = :lane AND {which}) d
                  LEFT JOIN posthorn.dead_letter l ON l.id = d.dead_letter_id
                 CROSS JOIN LATERAL (
                       SELECT {row} FROM posthorn.event WHERE seq = d.seq
                       UNION ALL
                       SELECT {row} FROM posthorn.kept_event WHERE seq = d.seq
                       UNION ALL
                       SELECT {letter_row} FROM posthorn.dead_letter WHERE id = d.dead_letter_id AND NOT incomplete
                       LIMIT 1) e
            ) found ORDER BY {order}
            """;

    private static final String DUE = rows(
            "state <> 'HELD' AND due_at <= posthorn.clock() ORDER BY due_at, place LIMIT :limit", "d_due_at, d_place");

    private static final String EARLIEST =
            rows("state = 'WAITING' AND state <> 'HELD' ORDER BY due_at, place LIMIT 1", "d_due_at");

    private static final String OLDEST =
            rows("state = 'WAITING' AND replay_id IS NULL AND dead_letter_id IS NULL ORDER BY seq LIMIT 1", "d_place");

    /** By the key's hash, as the index has it; two keys may have the same one. */
    public static final String HELD = rows("seq = ANY (ARRAY({held}))", "key, d_place")
            .replace("{held}", """
            SELECT h.seq FROM unnest(:keys::text[]) AS k CROSS JOIN LATERAL (
                SELECT seq FROM posthorn.delivery
                 WHERE lane_id = :lane AND {of_key} AND state = 'HELD' ORDER BY place LIMIT :limit) h
            """)
            .replace("{of_key}", OF_KEY);

    private static final String ROW = rows("seq = :seq", "d_place");

    private static final String UNSETTLED = """
            SELECT {columns} FROM posthorn.event e
             WHERE e.seq = :seq AND NOT EXISTS (
                   SELECT FROM posthorn.lane_effective m CROSS JOIN posthorn.cluster c
                    WHERE m.lane_id = :lane
                      AND (e.seq <= c.floor_seq OR pg_visible_in_snapshot(e.txid, m.a)
                           OR (pg_visible_in_snapshot(e.txid, m.b) AND e.seq <= m.seq)))
            """.replace("{columns}", EventRow.COLUMNS);

    private static final String COMMANDS = """
            SELECT id, kind, seq, key, due_at, requested_by, reason FROM posthorn.command
             WHERE subscription_id = :subscription AND answered_at IS NULL AND {mine}
             ORDER BY kind = 'DEFER', id LIMIT :limit
            """.replace("{mine}", MINE);

    private static final String LETTER = """
            SELECT seq, key, holds_key, discarded_at IS NOT NULL AS discarded,
                   EXISTS (SELECT FROM posthorn.delivery d WHERE d.lane_id = :lane AND d.seq = l.seq)
                   OR EXISTS (SELECT FROM posthorn.replay_item i
                               WHERE i.subscription_id = :subscription AND i.seq = l.seq AND i.state = 'PENDING')
                      AS replaying
              FROM posthorn.dead_letter l WHERE subscription_id = :subscription AND seq = :seq
            """;

    /** In microseconds: what is due later is looked for again by then. The year 2330 in nanoseconds would be in the past. */
    private static final long FARTHEST_DUE = TimeUnit.DAYS.toMicros(365);

    private final Session session;
    private final LaneGrant grant;

    RowReader(Session session, LaneGrant grant) {
        this.session = session;
        this.grant = grant;
    }

    private static String rows(String which, String order) {
        return ROWS.replace("{which}", which)
                .replace("{order}", order)
                .replace("{columns}", EventRow.COLUMNS)
                .replace("{letter_row}", LETTER_ROW)
                .replace("{row}", EventRow.ROW);
    }

    LaneStore.Blocked blockedKeys(int limit) {
        return query(BLOCKED_KEYS, Map.of("limit", limit), rows -> {
            List<LaneStore.BlockedKey> found = new ArrayList<>();
            int total = 0;
            while (rows.next()) {
                found.add(blockedKey(rows));
                total = rows.getInt("total");
            }
            return new LaneStore.Blocked(found, total - found.size());
        });
    }

    List<LaneStore.BlockedKey> blocked(Collection<String> keys) {
        return list(BLOCKED, Map.of("keys", keys.toArray(String[]::new)), RowReader::blockedKey);
    }

    private static LaneStore.BlockedKey blockedKey(ResultSet row) throws SQLException {
        return new LaneStore.BlockedKey(row.getString("key"), row.getInt("waiting"), row.getInt("holding"));
    }

    Set<Long> known(List<Long> seqs) {
        return new HashSet<>(list(KNOWN, Map.of("seqs", seqs.toArray(Long[]::new)), row -> row.getLong(1)));
    }

    LaneStore.Agenda agenda() {
        return query(AGENDA, Map.of(), row -> {
            row.next();
            long micros = Math.min(row.getLong("next_due"), FARTHEST_DUE);
            Duration nextDue = row.wasNull() ? null : Duration.of(micros, ChronoUnit.MICROS);
            return new LaneStore.Agenda(nextDue, row.getBoolean("commands"), row.getBoolean("replays"));
        });
    }

    List<DeliveryRow> due(int limit) {
        return list(DUE, Map.of("limit", limit), RowReader::deliveryRow);
    }

    @Nullable
    DeliveryRow earliest() {
        return first(list(EARLIEST, Map.of(), RowReader::deliveryRow));
    }

    @Nullable
    DeliveryRow oldest() {
        return first(list(OLDEST, Map.of(), RowReader::deliveryRow));
    }

    List<DeliveryRow> held(List<String> keys, int perKey) {
        return list(HELD, Map.of("keys", keys.toArray(String[]::new), "limit", perKey), RowReader::deliveryRow);
    }

    @Nullable
    DeliveryRow row(long seq) {
        return first(list(ROW, Map.of("seq", seq), RowReader::deliveryRow));
    }

    private static DeliveryRow deliveryRow(ResultSet row) throws SQLException {
        Replayed replayed = replayed(row);
        RecordedEvent event = EventRow.read(row);
        return new DeliveryRow(
                replayed == null ? event : replayed.mark(event),
                DeliveryState.valueOf(row.getString("d_state")),
                row.getInt("d_attempts"),
                row.getBoolean("d_due"),
                replayed,
                row.getBoolean("d_holds"),
                row.getBoolean("d_unanswered"));
    }

    /** Of a row that is no replay's, null. */
    private static @Nullable Replayed replayed(ResultSet row) throws SQLException {
        long id = row.getLong("d_replay");
        return row.wasNull() ? null : new Replayed(id, row.getObject("d_letter", Long.class));
    }

    boolean isUnsettled(long seq) {
        RecordedEvent event = first(list(UNSETTLED, Map.of("seq", seq), EventRow::read));
        return event != null && isWanted(event);
    }

    private boolean isWanted(RecordedEvent event) {
        LaneScope scope = grant.scope();
        boolean tooOld = scope.since() != null && event.createdAt().isBefore(scope.since());
        return scope.filter().wants(event.event()) && !tooOld;
    }

    List<Command> commands(int limit) {
        return list(COMMANDS, Map.of("limit", limit), RowReader::command);
    }

    private static Command command(ResultSet row) throws SQLException {
        OffsetDateTime dueAt = row.getObject("due_at", OffsetDateTime.class);
        Instant due = dueAt == null ? null : dueAt.toInstant();
        return new Command(
                row.getLong("id"),
                Command.Kind.valueOf(row.getString("kind")),
                row.getLong("seq"),
                row.getString("key"),
                due,
                row.getString("requested_by"),
                row.getString("reason"));
    }

    @Nullable
    DeadLetterState letter(long seq) {
        return first(list(LETTER, Map.of("seq", seq), RowReader::letter));
    }

    private static DeadLetterState letter(ResultSet row) throws SQLException {
        return new DeadLetterState(
                row.getLong("seq"),
                row.getString("key"),
                row.getBoolean("holds_key"),
                row.getBoolean("discarded"),
                row.getBoolean("replaying"));
    }

    private static <T> @Nullable T first(List<T> some) {
        return some.isEmpty() ? null : some.get(0);
    }

    private <T> List<T> list(String text, Map<String, Object> more, Session.Reading<T> each) {
        return query(text, more, rows -> {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(each.from(rows));
            }
            return found;
        });
    }

    private <T> T query(String text, Map<String, Object> more, Session.Reading<T> reading) {
        Map<String, @Nullable Object> values = new HashMap<>(more);
        values.put("lane", grant.lease().laneId());
        values.put("subscription", grant.subscriptionId());
        values.put("lanes", grant.scope().lanes());
        values.put("index", grant.scope().index());
        return session.query("looking at delivery rows", session.sql(text), values, reading);
    }
}
