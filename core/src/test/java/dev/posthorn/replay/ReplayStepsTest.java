package dev.posthorn.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a replay, and how it is accounted for. */
class ReplayStepsTest {

    private static final Actor ANN = Actor.named("ann");

    private ReplayRows rows;
    private Replays replays;

    @BeforeEach
    void createDatabase() {
        rows = new ReplayRows();
        replays = new Replays(rows.database.dataSource(), SchemaName.DEFAULT);
    }

    private Replay start(int letters) {
        rows.letters(rows.billing, letters);
        return replays.start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).build(), ANN);
    }

    @Test
    void everyItemIsAccountedForAllTheTime() {
        rows.letters(rows.shipping, 1);
        rows.database.execute("UPDATE posthorn.dead_letter SET replays = 10");
        long id = start(6).id();
        assertThat(accounts(id)).isEqualTo("7 = 0 + 0 + {replay-limit=1} + 6");
        rows.deliver(id, 2);
        rows.fail(id);
        assertThat(accounts(id)).isEqualTo("7 = 2 + 1 + {replay-limit=1} + 3");
        Replay cancelled = replays.cancel(id, "enough", ANN);
        assertThat(cancelled.state()).isEqualTo(ReplayState.CANCELLED);
        assertThat(cancelled.stateReason()).isEqualTo("enough");
        assertThat(cancelled.endedAt()).isNotNull();
        assertThat(accounts(id)).isEqualTo("7 = 2 + 1 + {cancelled=3, replay-limit=1} + 0");
        assertThat(audited()).isEqualTo("replay.start 7, replay.cancel 3 enough");
    }

    private String accounts(long id) {
        Replay replay = replays.get(id);
        assertThat(replay.requested())
                .isEqualTo(replay.delivered() + replay.failed() + replay.skippedInAll() + replay.pending());
        return "%d = %d + %d + %s + %d"
                .formatted(replay.requested(), replay.delivered(), replay.failed(), replay.skipped(), replay.pending());
    }

    private String audited() {
        return rows.database.value(
                "SELECT string_agg(concat_ws(' ', action, count, reason), ', ' ORDER BY id) FROM posthorn.audit");
    }

    @Test
    void aReplayIsPausedAndResumed() {
        long id = start(2).id();
        Replay paused = replays.pause(id, "lunch", ANN);
        assertThat(paused.state()).isEqualTo(ReplayState.PAUSED);
        assertThat(paused.stateReason()).isEqualTo("lunch");
        assertThat(paused.eta()).isNull();
        refused(
                () -> replays.pause(id, null, ANN),
                "cannot pause replay %d: it is PAUSED. It can be resumed or cancelled");
        Replay resumed = replays.resume(id, ANN);
        assertThat(resumed.state()).isEqualTo(ReplayState.RUNNING);
        assertThat(resumed.stateReason()).isNull();
        refused(() -> replays.resume(id, ANN), "cannot resume replay %d: it is RUNNING. It can be paused or cancelled");
        assertThat(audited()).isEqualTo("replay.start 2, replay.pause lunch, replay.resume");
    }

    @Test
    void theGoEndsTheCanaryAndNothingElseDoes() {
        rows.letters(rows.billing, 3);
        long id = replays.start(
                        ReplayRequest.ofQuery(DeadLetterQuery.OPEN)
                                .canary(1, false)
                                .build(),
                        ANN)
                .id();
        replays.pause(id, null, ANN);
        assertThat(replays.resume(id, ANN).trying())
                .as("paused amid the canary")
                .isTrue();
        rows.deliver(id, 1);
        rows.state(id, "WAITING_FOR_GO");
        refused(() -> replays.pause(id, null, ANN), "cannot pause replay %d: it is WAITING_FOR_GO. It can be resumed");
        Replay gone = replays.resume(id, ANN);
        assertThat(gone.state()).isEqualTo(ReplayState.RUNNING);
        assertThat(gone.trying()).isFalse();
    }

    @Test
    void whatHasEndedStaysAsItIs() {
        long id = start(1).id();
        rows.deliver(id, 1);
        rows.state(id, "FINISHED");
        List<ThrowingCallable> all = List.of(
                () -> replays.pause(id, null, ANN),
                () -> replays.resume(id, ANN),
                () -> replays.cancel(id, null, ANN),
                () -> replays.changeRate(id, 1.0, ANN));
        for (ThrowingCallable each : all) {
            assertThatThrownBy(each)
                    .hasMessageContaining("replay " + id + ": it is FINISHED. It has ended and stays as it is");
        }
        assertThat(audited()).isEqualTo("replay.start 1");
        assertThatThrownBy(() -> replays.cancel(4711, null, ANN))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageStartingWith("there is no replay with id 4711");
    }

    @Test
    void aLetterOfACancelledReplayIsFreeAgain() {
        long id = start(2).id();
        replays.cancel(id, null, ANN);
        assertThat(replays.start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).build(), ANN)
                        .pending())
                .isEqualTo(2);
    }

    @Test
    void thePaceIsChangedWhileItRuns() {
        long id = start(10).id();
        Replay slower = replays.changeRate(id, 2.0, ANN);
        assertThat(slower.ratePerSecond()).isEqualTo(2.0);
        assertThat(slower.eta()).isEqualTo(Duration.ofSeconds(5));
        Replay both = replays.changePace(id, pace -> pace.maxInFlight(3), ANN);
        assertThat(both.ratePerSecond()).isEqualTo(2.0);
        assertThat(both.maxInFlight()).isEqualTo(3);
        Replay unlimited = replays.changeRate(id, null, ANN);
        assertThat(unlimited.ratePerSecond()).isNull();
        assertThat(unlimited.eta()).as("nothing has moved yet").isNull();
        rows.deliver(id, 5);
        rows.database.execute("UPDATE posthorn.replay SET requested_at = posthorn.clock() - interval '1000 s'");
        assertThat(replays.get(id).eta()).isBetween(Duration.ofSeconds(999), Duration.ofSeconds(1100));
        assertThatThrownBy(() -> replays.changeRate(id, -1.0, ANN)).hasMessageStartingWith("ratePerSecond is -1.0");
        assertThat(rows.database.value(
                        "SELECT detail::text FROM posthorn.audit WHERE action = 'replay.change' LIMIT 1"))
                .isEqualTo("{\"maxInFlight\": \"unlimited\", \"ratePerSecond\": \"2.0\"}");
    }

    @Test
    void whatFailedOrWasSkippedIsListedInPages() {
        rows.letters(rows.shipping, 2);
        long id = start(5).id();
        rows.deliver(id, 1);
        rows.fail(id);
        rows.fail(id);
        replays.cancel(id, null, ANN);
        List<String> seen = new ArrayList<>();
        String cursor = null;
        do {
            ItemPage page = replays.items(
                    id, ItemQuery.builder().pageSize(2).cursor(cursor).build());
            page.items().forEach(item -> seen.add(item.subscription() + " " + item.seq() + " " + item.reason()));
            cursor = page.cursor();
        } while (cursor != null);
        assertThat(seen)
                .containsExactly(
                        "billing 3 HTTP 500",
                        "billing 4 cancelled",
                        "billing 5 cancelled",
                        "billing 6 cancelled",
                        "billing 7 cancelled",
                        "shipping 2 HTTP 500");
        ReplayItem failed = replays.items(
                        id,
                        ItemQuery.builder()
                                .outcome(ReplayItem.Outcome.FAILED)
                                .subscription("shipping")
                                .build())
                .items()
                .get(0);
        assertThat(failed.message()).isEqualTo("oops");
        assertThat(failed.eventId()).isEqualTo(rows.rows.id(2));
        assertThat(failed.deadLetterId()).isNotNull();
        assertThat(replays.items(
                                id,
                                ItemQuery.builder()
                                        .outcome(ReplayItem.Outcome.SKIPPED)
                                        .build())
                        .items())
                .hasSize(4);
        assertThatThrownBy(() -> replays.items(4711, ItemQuery.ALL)).hasMessageStartingWith("there is no replay");
        assertThatThrownBy(() -> ItemQuery.builder().cursor("mine")).hasMessageStartingWith("cursor 'mine' is not one");
    }

    @Test
    void replaysAreListedTheNewestFirst() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            long letter = rows.letter(i == 0 ? rows.shipping : rows.billing);
            ids.add(
                    0,
                    replays.start(ReplayRequest.ofDeadLetter(letter).build(), ANN)
                            .id());
        }
        ReplayPage first = replays.find(ReplayQuery.builder().pageSize(3).build());
        assertThat(first.replays()).extracting(Replay::id).containsExactlyElementsOf(ids.subList(0, 3));
        ReplayPage second = replays.find(
                ReplayQuery.builder().pageSize(3).after(first.next()).build());
        assertThat(second.replays()).extracting(Replay::id).containsExactlyElementsOf(ids.subList(3, 5));
        assertThat(second.next()).isNull();
        replays.pause(ids.get(2), null, ANN);
        assertThat(replays.find(ReplayQuery.builder().state(ReplayState.PAUSED).build())
                        .replays())
                .extracting(Replay::id)
                .containsExactly(ids.get(2));
        assertThat(replays.find(ReplayQuery.builder().subscription("shipping").build())
                        .replays())
                .extracting(Replay::subscriptions)
                .containsExactly(Map.of("shipping", 1L));
    }

    private static void refused(ThrowingCallable work, String message) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
                .hasMessageMatching("(?s)" + message.replace("%d", "\\d+").replace(".", "\\.") + ".*");
    }
}
