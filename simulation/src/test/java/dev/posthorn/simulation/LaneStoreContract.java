package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.store.AttemptRecord;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a lane relies on when it settles and looks at its rows. */
abstract class LaneStoreContract extends Contract {

    private static final Outcome.Failure NOT_NOW = new Outcome.Retry("not now");

    @Test
    void aSettleWhoseAnswerWasLostIsDoneOnce() {
        long seq = record("a").get(0);
        Owned owned = own("i1", subscription(s -> s));
        owned.read();
        Settlement settlement =
                owned.settlement(changes -> changes.attempts.add(new AttemptRecord(seq, 1, 0, 0, NOT_NOW)));
        assertThat(owned.lane.settle(settlement)).isEqualTo(Settled.DONE);
        assertThat(owned.lane.settle(settlement)).isEqualTo(Settled.LOST);
        assertThat(owned.lane.begin()).extracting(StoredLane::turn).isEqualTo(settlement.turn());
        assertThat(store.attempts(seq)).isEqualTo(1);
    }

    /** It was given up, and came to its end after its owner had asked where the lane stands. */
    @Test
    void whatWasComposedBeforeASettleThatCameLateIsNotDone() {
        record("a");
        Owned owned = own("i1", subscription(s -> s));
        owned.read();
        Settlement late = owned.settlement(changes -> {});
        Settlement next =
                new Settlement(late.former(), 77, late.mark(), late.high(), 0, null, false, 0, null, new Changes());
        assertThat(owned.lane.settle(late)).isEqualTo(Settled.DONE);
        assertThat(owned.lane.settle(next)).isEqualTo(Settled.LOST);
    }

    @Test
    void aLaneStandsWhereItWasLastSettledAndOnlyForItsOwner() {
        record("a");
        Owned former = own("i1", subscription(s -> s));
        former.read();
        assertThat(former.settle(changes -> {})).isTrue();
        store.advance(TTL.dividedBy(2));
        assertThat(former.lane.begin())
                .isEqualTo(new StoredLane(
                        former.mark,
                        former.stored.readSeq(),
                        0,
                        former.turn(),
                        null,
                        0,
                        null,
                        true,
                        TTL.dividedBy(2),
                        null,
                        true));
        store.advance(TTL.plusSeconds(1));
        own("i2", subscription(s -> s));
        assertThat(former.lane.begin()).isNull();
    }

    @Test
    void anEventWhoseRowIsRefusedIsSetAsideAndTheOthersAreWritten() {
        record("a", "b", "a", "a");
        Owned owned = own("i1", subscription(s -> s));
        List<RecordedEvent> events = owned.read();
        long refused = seq(events, 2);
        store.refuse(refused);
        Settlement settlement = owned.settlement(changes -> {
            changes.put(waiting(events.get(0), 1, Duration.ZERO));
            changes.put(waiting(events.get(1), 1, Duration.ZERO));
            changes.put(held(events.get(2)));
            changes.put(held(events.get(3)));
        });
        Settled settled = owned.lane.settle(settlement);
        assertThat(settled.done()).isTrue();
        assertThat(settled.seqsSetAside()).containsExactly(refused);
        assertThat(owned.lane.row(refused)).isNull();
        assertThat(owned.lane.letter(refused)).isEqualTo(new DeadLetterState(refused, "a", false, false, false));
        assertThat(seqs(owned.lane.due(10))).containsExactly(seq(events, 0), seq(events, 1));
        assertThat(seqs(owned.lane.held(List.of("a"), 10))).containsExactly(seq(events, 3));
        assertThat(owned.lane.settle(owned.settlement(changes -> changes.removeRow(seq(events, 1)))))
                .isEqualTo(Settled.DONE);
    }

    @Test
    void aFormerOwnerSettlesNothing() {
        record("a");
        Owned former = own("i1", subscription(s -> s));
        RecordedEvent event = former.read().get(0);
        store.advance(TTL.plusSeconds(1));
        Owned owner = own("i2", subscription(s -> s));
        assertThat(former.settle(changes -> changes.put(held(event)))).isFalse();
        assertThat(owner.lane.row(event.seq())).isNull();
        assertThat(owner.stored.mark()).isEqualTo(former.stored.mark());
        owner.read();
        assertThat(owner.settle(changes -> {})).isTrue();
    }

    @Test
    void anOwnerPausesOnceAndAFormerOneNever() {
        Owned former = own("i1", subscription(s -> s));
        store.advance(TTL.plusSeconds(1));
        Owned owner = own("i2", subscription(s -> s));
        Peer leases = process("i2");
        long id = owner.grant.subscriptionId();
        assertThat(former.lane.pause("gone")).isFalse();
        assertThat(leases.sharing(id).paused()).isFalse();
        assertThat(owner.lane.pause("gone")).isTrue();
        assertThat(owner.lane.pause("gone")).as("again").isFalse();
        assertThat(leases.sharing(id).paused()).isTrue();
    }

    @Test
    void tokensComeAtTheRateAndAreLeasedOnceWhoeverAsks() {
        LaneStore lane = own("i1", subscription(s -> s)).lane;
        store.advance(TTL.plusSeconds(1));
        LaneStore other = own("i2", subscription(s -> s)).lane;
        assertThat(lane.leaseTokens(10, 3, 2)).isEqualTo(new LaneStore.Granted(1, 0));
        assertThat(other.leaseTokens(10, 3, 2)).isEqualTo(new LaneStore.Granted(0, 0));
        store.advance(Duration.ofMillis(150));
        assertThat(other.leaseTokens(10, 3, 2)).isEqualTo(new LaneStore.Granted(1, 0.5));
        store.advance(Duration.ofMillis(250));
        assertThat(lane.leaseTokens(10, 3, 2)).isEqualTo(new LaneStore.Granted(2, 1));
        assertThat(lane.leaseTokens(10, 3, 5)).isEqualTo(new LaneStore.Granted(1, 0));
    }

    @Test
    void tokensGatherUpToTheCapacityAndNoFurther() {
        LaneStore lane = own("i1", subscription(s -> s)).lane;
        lane.leaseTokens(10, 3, 1);
        store.advance(Duration.ofMinutes(1));
        assertThat(lane.leaseTokens(10, 3, 100)).isEqualTo(new LaneStore.Granted(3, 0));
    }

    @Test
    void aClockThatIsSetBackStopsNoTokens() {
        LaneStore lane = own("i1", subscription(s -> s)).lane;
        lane.leaseTokens(10, 3, 1);
        store.advance(Duration.ofMillis(-100));
        assertThat(lane.leaseTokens(10, 3, 1).tokens()).isZero();
        store.advance(Duration.ofMillis(150));
        assertThat(lane.leaseTokens(10, 3, 1))
                .as("a little: no time counts twice")
                .isEqualTo(new LaneStore.Granted(0, 0.5));
        store.advance(Duration.ofHours(-1));
        assertThat(lane.leaseTokens(10, 3, 1).tokens()).isZero();
        store.advance(Duration.ofMillis(50));
        assertThat(lane.leaseTokens(10, 3, 1).tokens()).isOne();
    }

    @Test
    void rowsAreDueInTheOrderOfTheirTimes() {
        record("a", "b", "c", "d");
        Owned owned = own("i1", subscription(s -> s));
        List<RecordedEvent> events = owned.read();
        assertThat(owned.lane.agenda().nextDue()).isNull();
        owned.settle(changes -> {
            changes.put(waiting(events.get(0), 2, Duration.ofSeconds(9)));
            changes.put(deferred(events.get(1), Duration.ofSeconds(3)));
            changes.put(waiting(events.get(2), 1, Duration.ofSeconds(6)));
            changes.put(held(events.get(3)));
        });
        assertThat(owned.lane.due(10)).isEmpty();
        assertThat(owned.lane.agenda().nextDue()).isEqualTo(Duration.ofSeconds(3));
        assertThat(owned.lane.earliest().seq())
                .as("deferred ones are no probes")
                .isEqualTo(events.get(2).seq());
        assertThat(owned.lane.earliest().due()).isFalse();
        assertThat(owned.lane.oldest().seq()).isEqualTo(events.get(0).seq());
        store.advance(Duration.ofSeconds(7));
        assertThat(seqs(owned.lane.due(10)))
                .containsExactly(events.get(1).seq(), events.get(2).seq());
        assertThat(seqs(owned.lane.due(1))).containsExactly(events.get(1).seq());
        assertThat(owned.lane.agenda().nextDue()).isNegative();
        DeliveryRow row = owned.lane.row(events.get(0).seq());
        assertThat(row.attempts()).isEqualTo(2);
        assertThat(row.due()).isFalse();
        assertThat(row.state()).isEqualTo(DeliveryState.WAITING);
        assertThat(row.event().event().id()).isEqualTo(events.get(0).event().id());
    }

    @Test
    void heldEventsKeepTheirPlacesAndOneThatIsHeldAnewGoesToTheEnd() {
        record("a", "a", "a", "b");
        Owned owned = own("i1", subscription(s -> s));
        List<RecordedEvent> events = owned.read();
        owned.settle(changes -> events.forEach(event -> changes.put(held(event))));
        assertThat(seqs(owned.lane.held(List.of("a"), 10)))
                .containsExactly(seq(events, 0), seq(events, 1), seq(events, 2));
        owned.settle(changes -> changes.put(waiting(events.get(1), 1, Duration.ZERO)));
        assertThat(seqs(owned.lane.held(List.of("a"), 10))).containsExactly(seq(events, 0), seq(events, 2));
        owned.settle(changes -> changes.put(held(events.get(1))));
        owned.settle(changes -> changes.put(held(events.get(0))));
        assertThat(seqs(owned.lane.held(List.of("a"), 2))).containsExactly(seq(events, 2), seq(events, 1));
        owned.settle(changes -> changes.removeRow(seq(events, 2)));
        assertThat(seqs(owned.lane.held(List.of("a"), 10))).containsExactly(seq(events, 1), seq(events, 0));
    }

    private static long seq(List<RecordedEvent> events, int index) {
        return events.get(index).seq();
    }

    @Test
    void aNewOwnerLearnsWhichKeysAreBlockedAndWhichEventsAreKnown() {
        record("waits", "waits", "held", "letter", "later", "free");
        Owned owned = own("i1", subscription(s -> s));
        List<RecordedEvent> events = owned.read();
        owned.settle(changes -> {
            changes.put(waiting(events.get(0), 1, Duration.ZERO));
            changes.put(held(events.get(1)));
            changes.put(held(events.get(2)));
            changes.letters.add(dead(events.get(3), 1, true));
            changes.put(deferred(events.get(4), Duration.ofDays(1)));
        });
        assertThat(owned.lane.blockedKeys(100).keys())
                .containsExactlyInAnyOrder(
                        new LaneStore.BlockedKey("waits", 1, 0),
                        new LaneStore.BlockedKey("held", 0, 0),
                        new LaneStore.BlockedKey("letter", 0, 1));
        assertThat(owned.lane.blockedKeys(1)).satisfies(some -> {
            assertThat(some.keys())
                    .as("those that wait for nothing come first")
                    .containsExactly(new LaneStore.BlockedKey("held", 0, 0));
            assertThat(some.others()).isEqualTo(2);
        });
        assertThat(owned.lane.blocked(List.of("waits", "held", "letter", "later", "free")))
                .containsExactlyInAnyOrderElementsOf(owned.lane.blockedKeys(100).keys());
        assertThat(owned.lane.blocked(List.of("letter"))).containsExactly(new LaneStore.BlockedKey("letter", 0, 1));
        List<Long> all = events.stream().map(RecordedEvent::seq).toList();
        assertThat(owned.lane.known(all)).containsExactlyInAnyOrderElementsOf(all.subList(0, 5));
    }

    @Test
    void aLaneIsCalmWhileThereIsNothingButTheLog() {
        record("a", "b", "c");
        Owned owned = own("i1", subscription(s -> s));
        List<RecordedEvent> events = owned.read();
        assertCalm(owned, true, "at first", changes -> {});
        for (RowChange row : List.of(
                waiting(events.get(0), 1, Duration.ofDays(1)),
                held(events.get(0)),
                deferred(events.get(0), Duration.ofDays(1)))) {
            assertCalm(owned, false, row.state().name(), changes -> changes.put(row));
        }
        assertCalm(owned, true, "the row has gone", changes -> changes.removeRow(seq(events, 0)));
        assertCalm(owned, true, "holds nothing", changes -> changes.letters.add(dead(events.get(1), 1, false)));
        assertCalm(owned, false, "holds its key", changes -> changes.letters.add(dead(events.get(2), 1, true)));
        assertCalm(owned, true, "released", changes -> changes.letters.add(new LetterChange.Released(seq(events, 2))));

        store.command(owned.grant.subscriptionId(), Command.Kind.DISCARD, seq(events, 1));
        assertCalm(owned, false, "a command", changes -> {});
        Command command = owned.lane.commands(10).get(0);
        assertCalm(owned, true, "answered", changes -> changes.answers.put(command.id(), "done"));

        long replay = store.replay(owned.grant.subscriptionId(), StoreFixture.Plan.PLAIN, List.of(seq(events, 0)));
        assertCalm(owned, false, "a replay", changes -> {});
        store.cancel(replay);
        assertCalm(owned, true, "cancelled", changes -> {});
    }

    private static void assertCalm(Owned owned, boolean calm, String when, Consumer<Changes> changing) {
        assertThat(owned.settle(changing)).as(when).isTrue();
        assertThat(owned.lane.begin().calm()).as(when).isEqualTo(calm);
    }

    @Test
    void aLaneIsCalmWhateverTheRowsOfOthersAre() {
        record("a", "b", "c", "d");
        List<Owned> lanes = ownAll("i1", subscription(s -> s.lanes(2)), 2);
        Owned troubled = lanes.get(0);
        List<RecordedEvent> events = troubled.read();
        assertCalm(troubled, false, "troubled", changes -> changes.put(waiting(events.get(0), 1, Duration.ZERO)));
        assertThat(lanes.get(1).lane.begin().calm()).isTrue();
    }

    @Test
    void aDeadLetterIsReturnedAndRemoved() {
        record("a");
        Owned owned = own("i1", subscription(s -> s));
        RecordedEvent event = owned.read().get(0);
        owned.settle(changes -> changes.letters.add(dead(event, 3, true)));
        DeadLetterState letter = owned.lane.letter(event.seq());
        assertThat(letter.holdsKey()).isTrue();
        assertThat(letter.replaying()).isFalse();
        owned.settle(changes -> changes.letters.add(new LetterChange.Returned(event.seq(), 4, NOT_NOW)));
        assertThat(owned.lane.blockedKeys(100).keys()).containsExactly(new LaneStore.BlockedKey("a", 0, 1));
        owned.settle(changes -> changes.letters.add(new LetterChange.Removed(event.seq())));
        assertThat(owned.lane.letter(event.seq())).isNull();
        assertThat(owned.lane.blockedKeys(100).keys()).isEmpty();
    }

    @Test
    void aDiscardedLetterIsKnownAndHoldsNothingAndMayDieAgain() {
        record("a", "a");
        Owned owned = own("i1", subscription(s -> s));
        List<RecordedEvent> events = owned.read();
        owned.settle(changes -> events.forEach(event -> changes.letters.add(dead(event, 1, true))));
        owned.settle(changes -> changes.letters.add(new LetterChange.Discarded(seq(events, 1), "me", "why")));
        assertThat(owned.lane.letter(seq(events, 1)).discarded()).isTrue();
        owned.settle(changes -> changes.letters.add(new LetterChange.Released(seq(events, 0))));
        assertThat(owned.lane.blockedKeys(100).keys()).isEmpty();
        assertThat(owned.lane.known(List.of(seq(events, 1)))).hasSize(1);
        owned.settle(changes -> changes.letters.add(dead(events.get(1), 7, true)));
        assertThat(owned.lane.letter(seq(events, 1)).discarded()).isFalse();
    }

    @Test
    void aPurgedLetterIsKnownAsDiscardedAndHoldsNothing() {
        record("a");
        Owned owned = own("i1", subscription(s -> s));
        RecordedEvent event = owned.read().get(0);
        owned.settle(changes -> changes.letters.add(dead(event, 1, true)));
        owned.settle(changes -> changes.letters.add(new LetterChange.Purged(event.seq(), "me", "why")));
        assertThat(owned.lane.letter(event.seq()).discarded()).isTrue();
        assertThat(owned.lane.blockedKeys(100).keys()).isEmpty();
        assertThat(owned.lane.known(List.of(event.seq()))).hasSize(1);
    }

    @Test
    void whatIsToBeDeferredComesLast() {
        record("a", "b");
        Owned owned = own("i1", subscription(s -> s));
        List<RecordedEvent> events = owned.read();
        for (Command.Kind kind : List.of(Command.Kind.DEFER, Command.Kind.DISCARD)) {
            events.forEach(event -> store.command(owned.grant.subscriptionId(), kind, event.seq()));
        }
        assertThat(owned.lane.commands(3))
                .extracting(Command::kind)
                .containsExactly(Command.Kind.DISCARD, Command.Kind.DISCARD, Command.Kind.DEFER);
        assertThat(owned.lane.commands(10)).hasSize(4);
    }

    @Test
    void commandsGoToTheLaneOfTheirKeyUntilTheyAreAnswered() {
        record("a", "b", "c", "d");
        List<Owned> lanes = ownAll("i1", subscription(s -> s.lanes(2)), 2);
        long all = 0;
        for (Owned owned : lanes) {
            for (RecordedEvent event : owned.read()) {
                assertThat(owned.lane.agenda().commands()).isEqualTo(false);
                store.command(owned.grant.subscriptionId(), Command.Kind.DEFER, event.seq());
                Command command = owned.lane.commands(10).get(0);
                assertThat(command.seq()).isEqualTo(event.seq());
                assertThat(command.key()).isEqualTo(event.event().key());
                assertThat(command.dueAt()).isEqualTo(StoreFixture.START);
                assertThat(command.requestedBy()).isEqualTo("operator");
                assertThat(owned.lane.agenda().commands()).isTrue();
                owned.settle(changes -> changes.answers.put(command.id(), "done"));
                assertThat(owned.lane.commands(10)).isEmpty();
                all++;
            }
        }
        assertThat(all).isEqualTo(4);
    }

    @Test
    void whatTheMarkHasNotPassedIsUnsettled() {
        List<Long> before = record("a", "b");
        Owned owned = own("i1", subscription(s -> s));
        owned.read();
        assertThat(owned.lane.isUnsettled(before.get(0))).as("not written yet").isTrue();
        owned.settle(changes -> {});
        long after = record("c").get(0);
        assertThat(owned.lane.isUnsettled(before.get(0))).isFalse();
        assertThat(owned.lane.isUnsettled(after)).isTrue();
        assertThat(owned.lane.isUnsettled(99_999)).isFalse();
    }
}
