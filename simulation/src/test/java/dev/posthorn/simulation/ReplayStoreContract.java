package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.ItemChange;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.simulation.StoreFixture.Plan;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a lane relies on when it serves replays. */
abstract class ReplayStoreContract extends Contract {

    private static final Outcome.Failure BAD = new Outcome.Reject("bad");

    private Owned owned;
    private List<RecordedEvent> events;

    /** An owner whose events of these keys are all dead letters. */
    private List<Long> letters(String... keys) {
        List<Long> seqs = record(keys);
        owned = own("i1", subscription(s -> s));
        events = owned.read();
        owned.settle(changes -> events.forEach(event -> changes.letters.add(dead(event, 3, false))));
        return seqs;
    }

    private long start(Plan plan, List<Long> seqs) {
        return store.replay(owned.grant.subscriptionId(), plan, seqs);
    }

    private ReplayOrder only() {
        List<ReplayOrder> running = owned.lane.replays();
        assertThat(running).hasSize(1);
        return running.get(0);
    }

    private static List<Long> seqsOf(List<OwnedReplayItem> items) {
        return items.stream().map(OwnedReplayItem::seq).toList();
    }

    private void deliver(long replay, long seq) {
        owned.settle(changes -> {
            changes.items.add(new ItemChange.Delivered(replay, seq));
            changes.letters.add(new LetterChange.Removed(seq));
        });
    }

    private void fail(long replay, long seq) {
        owned.settle(changes -> {
            changes.items.add(new ItemChange.Failed(replay, seq, BAD));
            changes.letters.add(new LetterChange.Returned(seq, 4, BAD));
        });
    }

    @Test
    void itEndsWhenNoItemIsLeftAndEveryItemIsAccountedFor() {
        List<Long> seqs = letters("a", "b", "c");
        assertThat(owned.lane.agenda().replays()).isFalse();
        long replay = start(Plan.PLAIN, seqs);
        assertThat(owned.lane.agenda().replays()).isTrue();
        assertThat(only()).isEqualTo(new ReplayOrder(replay, Subscription.UNLIMITED, ReplayOrder.ANY_NUMBER, false));
        deliver(replay, seqs.get(0));
        fail(replay, seqs.get(1));
        assertThat(store.accounts(replay)).isEqualTo("RUNNING 3 = 1, FAILED rejected, PENDING");
        owned.settle(changes -> changes.items.add(new ItemChange.Skipped(replay, seqs.get(2), OwnedReplayItem.GONE)));
        assertThat(owned.lane.replays()).isEmpty();
        assertThat(owned.lane.agenda().replays()).isFalse();
        assertThat(store.accounts(replay)).isEqualTo("FINISHED 3 = 1, FAILED rejected, SKIPPED gone");
    }

    @Test
    void itemsComeInOrderBehindASeqEachToItsLane() {
        List<Long> seqs = record("a", "b", "c", "d", "e", "f");
        List<Owned> lanes = ownAll("i1", subscription(s -> s.lanes(2)), 2);
        long id = lanes.get(0).grant.subscriptionId();
        long replay = store.replay(id, Plan.PLAIN, seqs);
        for (Owned lane : lanes) {
            List<Long> mine =
                    lane.read().stream().map(RecordedEvent::seq).sorted().toList();
            ReplayOrder order = lane.lane.replays().get(0);
            assertThat(seqsOf(lane.lane.replayItems(order, 0, 10))).isEqualTo(mine);
            assertThat(seqsOf(lane.lane.replayItems(order, 0, 1))).isEqualTo(mine.subList(0, 1));
            assertThat(seqsOf(lane.lane.replayItems(order, mine.get(0), 10))).isEqualTo(mine.subList(1, mine.size()));
            assertThat(lane.lane.lanesBefore(order))
                    .isEqualTo(lane.grant.scope().index());
        }
        Owned first = lanes.get(0);
        first.settle(
                changes -> seqsOf(first.lane.replayItems(first.lane.replays().get(0), 0, 10))
                        .forEach(seq -> changes.items.add(new ItemChange.Delivered(replay, seq))));
        ReplayOrder order = lanes.get(1).lane.replays().get(0);
        assertThat(lanes.get(1).lane.lanesBefore(order))
                .as("the first has none left")
                .isZero();
    }

    @Test
    void aLaneWithoutACanaryIsInNobodysWay() {
        List<Long> seqs = record("a", "b", "c", "d", "e", "f");
        List<Owned> lanes = ownAll("i1", subscription(s -> s.lanes(2)), 2);
        List<RecordedEvent> last = lanes.get(1).read();
        List<Long> canaryFirst = Stream.concat(Stream.of(last.get(0).seq()), seqs.stream())
                .distinct()
                .toList();
        store.replay(lanes.get(0).grant.subscriptionId(), new Plan(0, 1, false, 1), canaryFirst);
        ReplayOrder order = lanes.get(1).lane.replays().get(0);
        assertThat(lanes.get(1).lane.lanesBefore(order)).isZero();
    }

    @Test
    void anItemTellsWhatIsToBeSent() {
        List<Long> seqs = letters("a", "b");
        owned.settle(changes -> changes.letters.add(new LetterChange.Removed(seqs.get(1))));
        long replay = start(Plan.PLAIN, seqs);
        List<OwnedReplayItem> items = owned.lane.replayItems(only(), 0, 10);
        DeliveryRow letter = items.get(0).row();
        assertThat(letter.state()).isEqualTo(DeliveryState.REPLAYED);
        assertThat(letter.attempts()).isEqualTo(3);
        assertThat(letter.replay().replayId()).isEqualTo(replay);
        assertThat(letter.replay().deadLetterId()).isNotNull();
        assertThat(letter.event().event().id()).isEqualTo(events.get(0).event().id());
        assertThat(letter.event().marks()).containsEntry("posthorn-replay", "" + replay);
        DeliveryRow delivered = items.get(1).row();
        assertThat(delivered.replay()).isEqualTo(new Replayed(replay, null));
        assertThat(delivered.attempts()).as("the first was not written down").isEqualTo(1);
    }

    @Test
    void anItemWithARowIsLeftToIt() {
        List<Long> seqs = letters("a", "b");
        long replay = start(Plan.PLAIN, seqs);
        Replayed replayed = owned.lane.replayItems(only(), 0, 1).get(0).row().replay();
        owned.settle(changes -> changes.put(row(events.get(0), DeliveryState.WAITING, 4, Duration.ZERO, replayed)));
        assertThat(owned.lane.replayItems(only(), 0, 10))
                .extracting(OwnedReplayItem::seq, OwnedReplayItem::hasRow)
                .containsExactly(tuple(seqs.get(0), true), tuple(seqs.get(1), false));
        DeliveryRow row = owned.lane.due(1).get(0);
        assertThat(row.replay()).isEqualTo(replayed);
        assertThat(row.event().marks()).as("whichever way it is sent").containsEntry("posthorn-replay", "" + replay);
        owned.settle(changes -> changes.put(unanswered(events.get(0), 4, Duration.ZERO)));
        assertThat(owned.lane.due(1).get(0).replay()).isEqualTo(replayed);
        assertThat(owned.lane.due(1).get(0).unanswered()).isTrue();
    }

    @Test
    void aLetterIsBeingReplayedUntilItsItemHasEnded() {
        List<Long> seqs = letters("a");
        long replay = start(Plan.PLAIN, seqs);
        assertThat(owned.lane.letter(seqs.get(0)).replaying()).isTrue();
        fail(replay, seqs.get(0));
        assertThat(owned.lane.letter(seqs.get(0)).replaying()).isFalse();
    }

    @Test
    void whatIsGoneOrDiscardedIsNotToBeSent() {
        List<Long> seqs = letters("a", "b");
        start(Plan.PLAIN, seqs);
        owned.settle(changes -> {
            changes.letters.add(new LetterChange.Removed(seqs.get(0)));
            changes.letters.add(new LetterChange.Discarded(seqs.get(1), "me", "why"));
        });
        assertThat(owned.lane.replayItems(only(), 0, 10))
                .containsExactly(
                        OwnedReplayItem.skipped(seqs.get(0), OwnedReplayItem.GONE),
                        OwnedReplayItem.skipped(seqs.get(1), OwnedReplayItem.DISCARDED));
    }

    @Test
    void theRestWaitsForTheCanaryAndThenForAGo() {
        List<Long> seqs = letters("a", "b", "c");
        long replay = start(new Plan(0, 1, false, 1), seqs);
        assertThat(only().trying()).isTrue();
        assertThat(seqsOf(owned.lane.replayItems(only(), 0, 10))).containsExactly(seqs.get(0));
        deliver(replay, seqs.get(0));
        assertThat(owned.lane.replays()).isEmpty();
        assertThat(store.accounts(replay)).startsWith("WAITING_FOR_GO ");
        store.goOn(replay);
        assertThat(only().trying()).isFalse();
        assertThat(seqsOf(owned.lane.replayItems(only(), 0, 10))).isEqualTo(seqs.subList(1, 3));
    }

    @Test
    void aCanaryGoesOnByItselfIfItMayAndNoneHasFailed() {
        List<Long> seqs = letters("a", "b", "c", "d");
        long well = start(new Plan(0, 1, true, 1), seqs.subList(0, 2));
        deliver(well, seqs.get(0));
        assertThat(only().trying()).isFalse();
        deliver(well, seqs.get(1));
        long badly = start(new Plan(0, 1, true, 1), seqs.subList(2, 4));
        fail(badly, seqs.get(2));
        assertThat(owned.lane.replays()).isEmpty();
        assertThat(store.accounts(well)).isEqualTo("FINISHED 2 = 2");
        assertThat(store.accounts(badly)).isEqualTo("WAITING_FOR_GO 2 = 0, FAILED rejected, PENDING");
    }

    @Test
    void whatWasCancelledOnItsWayIsCorrected() {
        List<Long> seqs = letters("a", "b", "c");
        long replay = start(Plan.PLAIN, seqs);
        store.cancel(replay);
        assertThat(owned.lane.replays()).isEmpty();
        deliver(replay, seqs.get(0));
        fail(replay, seqs.get(1));
        assertThat(store.accounts(replay)).isEqualTo("CANCELLED 3 = 1, FAILED rejected, SKIPPED cancelled");
        deliver(replay, seqs.get(0));
        assertThat(store.accounts(replay)).as("counted once").startsWith("CANCELLED 3 = 1,");
    }

    @Test
    void itStopsWhenMoreFailThanMay() {
        List<Long> seqs = letters("a", "b", "c", "d", "e");
        long small = start(new Plan(0, 0, false, 0.5), seqs.subList(0, 3));
        fail(small, seqs.get(0));
        fail(small, seqs.get(1));
        assertThat(store.accounts(small)).as("too few to tell").startsWith("RUNNING ");
        fail(small, seqs.get(2));
        assertThat(store.accounts(small)).startsWith("PAUSED ");
        long even = start(new Plan(0, 0, false, 0.5), seqs.subList(3, 5));
        deliver(even, seqs.get(3));
        fail(even, seqs.get(4));
        assertThat(store.accounts(even)).as("no more than half").startsWith("RUNNING ");
    }

    @Test
    void tokensOfAReplayComeAtItsRate() {
        List<Long> seqs = letters("a");
        start(new Plan(10, 0, false, 1), seqs);
        ReplayOrder order = only();
        assertThat(order.ratePerSecond()).isEqualTo(10);
        assertThat(owned.lane.leaseTokens(order, 3, 2)).isEqualTo(new LaneStore.Granted(1, 0));
        assertThat(owned.lane.leaseTokens(order, 3, 2)).isEqualTo(new LaneStore.Granted(0, 0));
        store.advance(Duration.ofMillis(150));
        assertThat(owned.lane.leaseTokens(order, 3, 2)).isEqualTo(new LaneStore.Granted(1, 0.5));
        store.advance(Duration.ofMinutes(1));
        assertThat(owned.lane.leaseTokens(order, 3, 100)).isEqualTo(new LaneStore.Granted(3, 0));
    }
}
