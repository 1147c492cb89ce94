package dev.posthorn.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which dead letters a replay takes, and which it refuses. */
class ReplayFreezeTest {

    private static final Actor ANN = new Actor("ann", "request-1");

    private ReplayRows rows;
    private Replays replays;

    @BeforeEach
    void createDatabase() {
        rows = new ReplayRows();
        replays = new Replays(rows.database.dataSource(), SchemaName.DEFAULT);
    }

    private Replay start(ReplayRequest.Builder request) {
        return replays.start(request.build(), ANN);
    }

    @Test
    void oneLetterIsFrozenWithWhatItsLaneNeeds() {
        long letter = rows.letter(rows.billing, "order.placed", "k1");
        Replay replay = start(ReplayRequest.ofDeadLetter(letter)
                .ratePerSecond(5.0)
                .maxInFlight(2)
                .stopAtFailureRate(0.1)
                .reason("mended"));
        assertThat(replay.state()).isEqualTo(ReplayState.RUNNING);
        assertThat(replay.requested()).isEqualTo(1);
        assertThat(replay.pending()).isEqualTo(1);
        assertThat(replay.selection()).isEqualTo(Map.of("of", "dead letter", "id", String.valueOf(letter)));
        assertThat(replay.ratePerSecond()).isEqualTo(5.0);
        assertThat(replay.maxInFlight()).isEqualTo(2);
        assertThat(replay.stopAtFailureRate()).isEqualTo(0.1);
        assertThat(replay.requestedBy()).isEqualTo("ann");
        assertThat(replay.reason()).isEqualTo("mended");
        assertThat(replay.subscriptions()).isEqualTo(Map.of("billing", 1L));
        assertThat(replay.trying()).isFalse();
        assertThat(rows.database.value("""
                SELECT count(*) FROM posthorn.replay_item i JOIN posthorn.dead_letter l ON l.id = i.dead_letter_id
                 WHERE i.state = 'PENDING' AND i.seq = l.seq AND i.event_id = l.event_id
                   AND i.subscription_id = l.subscription_id AND i.key_hash = posthorn.key_hash(l.key, l.event_id)
                """)).isEqualTo("1");
        assertThat(rows.database.value("""
                SELECT concat_ws(' ', actor, action, target, count, reason, request_id, detail->>'id',
                                 detail->>'ratePerSecond')
                  FROM posthorn.audit
                """))
                .isEqualTo("ann replay.start replay/%d 1 mended request-1 %d 5.0".formatted(replay.id(), letter));
    }

    @Test
    void aLetterThatIsBeingReplayedIsRefusedByNameAndSkippedAmongOthers() {
        long[] letters = rows.letters(rows.billing, 3);
        Replay first = start(ReplayRequest.ofDeadLetter(letters[1]));
        refused(
                ErrorCode.CONFLICT,
                () -> start(ReplayRequest.ofDeadLetter(letters[1])),
                "dead letter %d is being replayed already by replay %d".formatted(letters[1], first.id()));
        Replay rest = start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN));
        assertThat(rest.requested()).isEqualTo(3);
        assertThat(rest.pending()).isEqualTo(2);
        assertThat(rest.skipped()).isEqualTo(Map.of("already-replaying", 1L));
        rows.fail(first.id());
        assertThat(replays.preview(ReplayRequest.ofDeadLetter(letters[1]).build())
                        .count())
                .as("it failed, so it is free again")
                .isEqualTo(1);
    }

    /** Two clicks, many times over: without the lock both would pick the letters, and one would fail by the index. */
    @Test
    void twoClicksAtOnceTakeNoLetterTwice() {
        // Not the common pool: on two cores it has one thread from Java 25 on.
        ExecutorService threads = Executors.newCachedThreadPool();
        for (int round = 0; round < 10; round++) {
            rows.letters(rows.billing, 20);
            ReplayRequest all =
                    ReplayRequest.ofQuery(DeadLetterQuery.OPEN).reason("x").build();
            List<CompletableFuture<Replay>> clicks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clicks.add(CompletableFuture.supplyAsync(() -> replays.start(all, ANN), threads));
            }
            assertThat(clicks.stream()
                            .map(CompletableFuture::join)
                            .mapToLong(Replay::pending)
                            .sum())
                    .isEqualTo(20);
            rows.database.execute("DELETE FROM posthorn.replay_item; DELETE FROM posthorn.dead_letter");
        }
        threads.shutdown();
    }

    @Test
    void aLetterThatWasReplayedInVainTooOftenStaysBehind() {
        long[] letters = rows.letters(rows.billing, 2);
        rows.database.execute("UPDATE posthorn.dead_letter SET replays = 3 WHERE id = " + letters[0]);
        Replay replay = start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).replayLimit(3));
        assertThat(replay.skipped()).isEqualTo(Map.of("replay-limit", 1L));
        assertThat(replay.pending()).isEqualTo(1);
        refused(
                ErrorCode.CONFLICT,
                () -> start(ReplayRequest.ofDeadLetter(letters[0]).replayLimit(3)),
                "dead letter %d was replayed 3 times in vain; the limit is 3.".formatted(letters[0]));
        assertThat(start(ReplayRequest.ofDeadLetter(letters[0])).pending())
                .as("under the usual limit")
                .isEqualTo(1);
    }

    @Test
    void aReplayWhoseItemsAreAllSkippedHasEnded() {
        long[] letters = rows.letters(rows.billing, 2);
        start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN));
        Replay second = start(ReplayRequest.ofDeadLetters(List.of(letters[0], letters[1])));
        assertThat(second.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(second.endedAt()).isNotNull();
        assertThat(second.skippedInAll()).isEqualTo(2);
    }

    @Test
    void discardedLettersAreNoPartOfAnySet() {
        long[] letters = rows.letters(rows.billing, 2);
        rows.database.execute(
                "UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'bob', discard_reason = 'old'"
                        + " WHERE id = " + letters[0]);
        assertThat(start(ReplayRequest.ofQuery(DeadLetterQuery.builder()
                                .state(DeadLetterQuery.State.ANY)
                                .build()))
                        .requested())
                .isEqualTo(1);
        refused(
                ErrorCode.CONFLICT,
                () -> start(ReplayRequest.ofDeadLetter(letters[0])),
                "dead letter %d was discarded by bob".formatted(letters[0]));
    }

    @Test
    void anEventIsReplayedByItsIdIfItIsClearForWhom() {
        long seq = rows.rows.event("order.placed", "k");
        UUID event = rows.rows.id(seq);
        rows.rows.deadLetter(rows.billing, seq, "E", "m", "m");
        assertThat(replays.preview(ReplayRequest.ofMessage(event, null).build()).subscriptions())
                .isEqualTo(Map.of("billing", 1L));
        rows.rows.deadLetter(rows.shipping, seq, "E", "m", "m");
        refused(
                ErrorCode.CONFLICT,
                () -> start(ReplayRequest.ofMessage(event, null)),
                "event " + event + " has dead letters for several subscriptions: billing, shipping; say for which");
        assertThat(start(ReplayRequest.ofMessage(event, "shipping")).subscriptions())
                .isEqualTo(Map.of("shipping", 1L));
        refused(
                ErrorCode.NOT_FOUND,
                () -> start(ReplayRequest.ofMessage(event, "nobody")),
                "event " + event + " has no dead letter for subscription nobody; it may have been replayed");
    }

    @Test
    void theCanaryAreTheFirstThatAreSent() {
        long[] letters = rows.letters(rows.billing, 5);
        rows.letter(rows.shipping);
        start(ReplayRequest.ofDeadLetter(letters[0]));
        Replay replay = start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).canary(2, true));
        assertThat(replay.trying()).isTrue();
        assertThat(replay.canary()).isEqualTo(2);
        assertThat(replay.canaryGoesOn()).isTrue();
        assertThat(rows.database.value(
                        "SELECT string_agg(dead_letter_id::text, ' ' ORDER BY seq) FROM posthorn.replay_item"
                                + " WHERE canary AND state = 'PENDING'"))
                .isEqualTo(letters[1] + " " + letters[2]);
    }

    @Test
    void aFilterPicksWhatTheListShows() {
        rows.letter(rows.billing, "order.placed", "a");
        rows.letter(rows.billing, "order.paid", "a");
        rows.letter(rows.shipping, "order.paid", "a");
        Replay replay = start(ReplayRequest.ofQuery(DeadLetterQuery.builder()
                .subscription("billing")
                .type("order.paid")
                .build()));
        assertThat(replay.subscriptions()).isEqualTo(Map.of("billing", 1L));
        assertThat(replay.selection())
                .isEqualTo(Map.of("of", "dead letters", "subscription", "billing", "type", "order.paid"));
    }

    @Test
    void whatMatchesNothingOrTooMuchIsRefusedAndLeavesNothing() {
        refused(
                ErrorCode.CONFLICT,
                () -> start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN)),
                "nothing matches, so there is nothing to replay");
        assertThat(replays.preview(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).build())
                        .count())
                .isZero();
        refused(
                ErrorCode.NOT_FOUND,
                () -> start(ReplayRequest.ofDeadLetter(4711)),
                "there is no dead letter with id 4711; it may have been replayed with success");
        rows.letters(rows.billing, 4);
        Replays small = new Replays(rows.database.dataSource(), SchemaName.DEFAULT, 3);
        ReplayRequest all = ReplayRequest.ofQuery(DeadLetterQuery.OPEN).build();
        refused(
                ErrorCode.INVALID_REQUEST,
                () -> small.start(all, ANN),
                "there are more than 3 items, which is the most");
        refused(ErrorCode.INVALID_REQUEST, () -> small.preview(all), "there are more than 3 items, which is the most");
        refused(
                ErrorCode.INVALID_REQUEST,
                () -> start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).reasonAbove(3)),
                "reason is missing; a replay of 4 items, more than 3, needs one");
        assertThat(start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).reasonAbove(4))
                        .pending())
                .isEqualTo(4);
        assertThat(rows.database.number("SELECT count(*) FROM posthorn.replay")).isEqualTo(1);
        assertThat(rows.database.number("SELECT count(*) FROM posthorn.audit")).isEqualTo(1);
    }

    @Test
    void whatMakesNoSenseIsRefusedByName() {
        ReplayRequest.Builder request = ReplayRequest.ofDeadLetter(1);
        refused(ErrorCode.INVALID_REQUEST, () -> request.ratePerSecond(0.0), "ratePerSecond is 0.0; it must be more");
        refused(ErrorCode.INVALID_REQUEST, () -> request.ratePerSecond(Double.NaN), "ratePerSecond is NaN; it must");
        refused(ErrorCode.INVALID_REQUEST, () -> request.maxInFlight(0), "maxInFlight is 0; it must be at least 1");
        refused(ErrorCode.INVALID_REQUEST, () -> request.canary(0, true), "canary is 0; it must be from 1 to 1000000");
        refused(
                ErrorCode.INVALID_REQUEST,
                () -> request.stopAtFailureRate(1.1),
                "stopAtFailureRate is 1.1; it must be");
        refused(ErrorCode.INVALID_REQUEST, () -> request.reason(" "), "reason is empty; leave it out instead");
        refused(ErrorCode.INVALID_REQUEST, () -> request.reason("a\0"), "reason holds a NUL character");
        refused(
                ErrorCode.INVALID_REQUEST,
                () -> ReplayRequest.ofDeadLetters(List.of()),
                "ids has 0 numbers; it must have from 1 to 10000");
    }

    /** Not a benchmark: it notices a plan that goes over all letters for each letter. */
    @Test
    void manyLettersFreezeInOneGo() {
        rows.letter(rows.billing);
        rows.database.execute("""
                INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source, type, version, key,
                    content_type, payload, occurred_at, recorded_at, attempts, error_class, error_message, cause,
                    first_failed_at, last_failed_at, holds_key)
                SELECT subscription_id, txid, seq + i, gen_random_uuid(), source, type, version, i::text, content_type,
                       payload, occurred_at, recorded_at, 5, 'E', 'm', 'm', now(), now() + i * interval '1 s', false
                  FROM posthorn.dead_letter, generate_series(1, 100000) i
                """);
        long began = System.nanoTime();
        Replay replay =
                start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).reason("all").canary(10, false));
        long ms = (System.nanoTime() - began) / 1_000_000;
        assertThat(replay.pending()).isEqualTo(100_001);
        assertThat(ms).as("milliseconds").isLessThan(100_000);
        assertThat(rows.database.number("SELECT count(*) FROM posthorn.replay_item WHERE canary"))
                .isEqualTo(10);
    }

    private static void refused(ErrorCode code, ThrowingCallable work, String message) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageStartingWith(message);
    }
}
