package dev.posthorn.replay;

import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes a replay from one state to another, if it is in one from which that goes. */
final class ReplaySteps {

    private static final String PAUSE = """
            UPDATE posthorn.replay SET state = 'PAUSED', state_reason = :reason WHERE id = :id AND state = 'RUNNING'
            """;

    /** The canary is over only for whoever waits for a go: one that was paused amid its canary goes on with that. */
    private static final String RESUME = """
            UPDATE posthorn.replay
               SET state = 'RUNNING', state_reason = NULL, trying = trying AND state <> 'WAITING_FOR_GO',
                   resumed_failed = (SELECT count(*) FROM posthorn.replay_item
                                      WHERE replay_id = :id AND state <> 'PENDING' AND state = 'FAILED'),
                   resumed_delivered = (SELECT coalesce(sum(count), 0) FROM posthorn.replay_delivered
                                         WHERE replay_id = :id)
             WHERE id = :id AND state IN ('PAUSED', 'WAITING_FOR_GO')
            """;

    private static final String CANCEL = """
            UPDATE posthorn.replay SET state = 'CANCELLED', state_reason = :reason, ended_at = posthorn.clock()
             WHERE id = :id AND ended_at IS NULL
            """;

    /** What is at a sink by now is put right by its lane when the answer comes. */
    private static final String SKIP_THE_REST = """
            UPDATE posthorn.replay_item SET state = 'SKIPPED', reason = 'cancelled', ended_at = posthorn.clock()
             WHERE replay_id = :id AND state = 'PENDING'
            """;

    private static final String HOLD = """
            SELECT state, rate_per_second, max_in_flight FROM posthorn.replay WHERE id = :id FOR NO KEY UPDATE
            """;

    private static final String CHANGE_PACE =
            "UPDATE posthorn.replay SET rate_per_second = :rate, max_in_flight = :max_in_flight WHERE id = :id";

    private static final String STATE = "SELECT state FROM posthorn.replay WHERE id = :id";

    /** How fast a replay goes, and whether it goes. */
    record Held(ReplayState state, ReplayPace pace) {}

    private final Queries.Transaction transaction;
    private final long id;

    ReplaySteps(Queries.Transaction transaction, long id) {
        this.transaction = transaction;
        this.id = id;
    }

    void pause(@Nullable String reason) throws SQLException {
        step(PAUSE, reason, "pause");
    }

    void resume() throws SQLException {
        step(RESUME, null, "resume");
    }

    /** Gives how many items are skipped. */
    long cancel(@Nullable String reason) throws SQLException {
        step(CANCEL, reason, "cancel");
        return transaction.update(SKIP_THE_REST, Map.of("id", id));
    }

    private void step(String update, @Nullable String reason, String what) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("id", id);
        values.put("reason", reason);
        if (transaction.update(update, values) == 0) {
            throw refusal(state(), what);
        }
    }

    private ReplayState state() throws SQLException {
        Optional<ReplayState> state =
                transaction.first(STATE, Map.of("id", id), row -> ReplayState.valueOf(row.getString("state")));
        return state.orElseThrow(() -> ReplayReader.unknown(id));
    }

    private RuntimeException refusal(ReplayState state, String what) {
        return Requests.conflict(
                "cannot " + what + " replay " + id + ": it is " + state + ". " + capital(state.remedy()));
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /** The pace it has; from here on nobody else changes it. */
    ReplayPace holdPace() throws SQLException {
        List<Held> held = transaction.list(
                HOLD,
                Map.of("id", id),
                row -> new Held(
                        ReplayState.valueOf(row.getString("state")),
                        new ReplayPace(
                                (Double) row.getObject("rate_per_second"), (Integer) row.getObject("max_in_flight"))));
        if (held.isEmpty()) {
            throw ReplayReader.unknown(id);
        }
        if (held.get(0).state().isEnded()) {
            throw refusal(held.get(0).state(), "change the pace of");
        }
        return held.get(0).pace();
    }

    void changePace(ReplayPace pace) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("id", id);
        values.put("rate", pace.ratePerSecond());
        values.put("max_in_flight", pace.maxInFlight());
        transaction.update(CHANGE_PACE, values);
    }
}
