package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.FrontStore.Move;
import dev.posthorn.relay.store.FrontStore.Moved;
import dev.posthorn.relay.store.FrontStore.Receipt;
import dev.posthorn.relay.store.FrontStore.Touched;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a front relies on, and whoever takes lanes of it. */
abstract class FrontStoreContract extends Contract {

    static final Subscription TWO_LANES = subscription(s -> s.lanes(2));

    private long turns = 1000;

    /** A front as its worker has it, and the lanes that got on with its first move. */
    final class Ridden {
        final UUID id = UUID.randomUUID();
        final FrontStore fronts = store.fronts();
        final List<Owned> riders;
        Mark at;
        private long turn = ++turns;

        Ridden(Peer of, Mark at, List<Owned> riders) {
            this.at = at;
            this.riders = riders;
            fronts.begin(id, of.session, at, 0, turn);
            if (!riders.isEmpty()) {
                assertThat(move(at, 0, List.of(), riders).touched()).containsExactlyInAnyOrderElementsOf(lanes(riders));
            }
        }

        Moved moveTo(Mark to) {
            return move(to, 0, List.of(), List.of());
        }

        Moved anchor(Mark to, Owned... lanes) {
            return move(to, 0, List.of(lanes), List.of());
        }

        Moved board(Owned... lanes) {
            return move(at, 0, List.of(), List.of(lanes));
        }

        Moved move(Mark to, long readSeq, List<Owned> off, List<Owned> on, Receipt... receipts) {
            Moved moved = write(
                    new Move(id, turn, ++turns, to, readSeq, touched(off), touched(on), List.of(), List.of(receipts)));
            List.of(off, on)
                    .forEach(lanes -> lanes.stream()
                            .filter(lane -> moved.touched().contains(lane(lane)))
                            .forEach(lane -> lane.stands(to, turn)));
            return moved;
        }

        Moved calm(Owned... lanes) {
            return write(new Move(id, turn, ++turns, at, 0, List.of(), List.of(), touched(List.of(lanes)), List.of()));
        }

        Moved write(Move move) {
            Moved moved = fronts.move(move);
            if (moved.done()) {
                turn = move.turn();
                at = move.at();
            }
            return moved;
        }

        long turn() {
            return turn;
        }

        void end() {
            fronts.end(List.of(id));
        }
    }

    /** Of that process, with so many of its lanes of one subscription aboard. */
    Ridden ridden(String instance, int lanes) {
        List<Owned> riders = ownAll(instance, TWO_LANES, lanes);
        assertThat(riders).hasSize(lanes);
        return new Ridden(process(instance), tail(), riders);
    }

    /** The end of the log, further than any before. */
    Mark tail() {
        record("k");
        return store.log(whole())
                .read(new Cursor.Tail(Snapshot.NOTHING), 1000, MANY_BYTES)
                .markAtEnd();
    }

    static long lane(Owned owned) {
        return owned.grant.lease().laneId();
    }

    private static List<Long> lanes(List<Owned> all) {
        return all.stream().map(FrontStoreContract::lane).toList();
    }

    private static List<Touched> touched(List<Owned> all) {
        return all.stream()
                .map(owned -> touched(owned, owned.grant.lease().epoch(), owned.turn()))
                .toList();
    }

    private static Touched touched(Owned owned, long epoch, long turn) {
        return new Touched(lane(owned), epoch, turn);
    }

    private Mark standing(Owned owned) {
        return store.standing(lane(owned));
    }

    private static StoredLane begun(Owned owned) {
        return Objects.requireNonNull(owned.lane.begin());
    }

    /** Whoever settles by itself: its row is its own. */
    private static boolean isOnItsOwn(Owned owned) {
        return owned.settle(changes -> {});
    }

    // ---- moving

    @Test
    void aMoveMovesAllWhoRideAndNobodyElse() {
        Ridden front = ridden("i1", 1);
        Owned apart = own("i1", TWO_LANES);
        Mark where = standing(apart);
        Mark there = tail();
        assertThat(front.moveTo(there)).isEqualTo(new Moved(true, Set.of()));
        assertThat(standing(front.riders.get(0))).isEqualTo(there);
        assertThat(front.board(apart).done()).isTrue();
        Mark further = tail();
        front.moveTo(further);
        assertThat(standing(front.riders.get(0))).isEqualTo(further);
        assertThat(standing(apart)).isEqualTo(further).isNotEqualTo(where);
    }

    /** One that was given up may come to its end after the next, or be tried again by somebody in between. */
    @Test
    void aMoveOfAFormerTurnIsNotDoneAndChangesNothing() {
        Ridden front = ridden("i1", 1);
        Owned rider = front.riders.get(0);
        Owned other = own("i1", TWO_LANES);
        long former = front.turn();
        front.moveTo(tail());
        Move late = new Move(
                front.id,
                former,
                77,
                tail(),
                99,
                touched(List.of(rider)),
                touched(List.of(other)),
                touched(List.of(rider)),
                List.of(new Receipt(lane(rider), 5)));
        assertThat(front.write(late)).isEqualTo(Moved.ENDED);
        assertThat(standing(rider)).isEqualTo(front.at);
        assertThat(store.receipts(lane(rider))).isEmpty();
        assertThat(isOnItsOwn(other)).isTrue();
        assertThat(front.anchor(tail(), rider).touched()).containsExactly(lane(rider));
    }

    @Test
    void ofAFrontThatHasEndedNoMoveIsDone() {
        Ridden front = ridden("i1", 1);
        Owned rider = front.riders.get(0);
        Mark where = front.at;
        front.end();
        Receipt receipt = new Receipt(lane(rider), 5);
        assertThat(front.move(tail(), 0, List.of(rider), List.of(), receipt)).isEqualTo(Moved.ENDED);
        assertThat(standing(rider)).isEqualTo(where);
        assertThat(store.receipts(lane(rider))).isEmpty();
        assertThat(isOnItsOwn(rider)).isFalse();
    }

    @Test
    void toEndAFrontTwiceOrOneThatIsNotThereIsToEndIt() {
        Ridden front = ridden("i1", 1);
        Ridden other = ridden("i2", 1);
        front.end();
        front.end();
        front.fronts.end(List.of(UUID.randomUUID()));
        front.fronts.end(List.of());
        assertThat(front.moveTo(tail()).done()).isFalse();
        assertThat(other.moveTo(tail()).done()).isTrue();
    }

    @Test
    void receiptsOfAMoveAreWrittenWithIt() {
        Ridden front = ridden("i1", 2);
        long one = lane(front.riders.get(0));
        long other = lane(front.riders.get(1));
        front.move(tail(), 0, List.of(), List.of(), new Receipt(one, 3), new Receipt(other, 4));
        front.move(tail(), 0, List.of(), List.of(), new Receipt(other, 5));
        assertThat(store.receipts(one)).containsExactly(3L);
        assertThat(store.receipts(other)).containsExactly(4L, 5L);
    }

    // ---- getting on and off

    @Test
    void gettingOnNeedsTheEpochOfTheLane() {
        Ridden front = ridden("i1", 1);
        Owned owned = own("i1", TWO_LANES);
        Touched formers = touched(owned, owned.grant.lease().epoch() + 1, owned.turn());
        Moved moved = front.write(new Move(
                front.id, front.turn(), ++turns, tail(), 0, List.of(), List.of(formers), List.of(), List.of()));
        assertThat(moved).as("the front moves without it").isEqualTo(new Moved(true, Set.of()));
        assertThat(isOnItsOwn(owned)).isTrue();
    }

    /** A settle whose answer was lost may come to its end only now: it would have written the lane's row. */
    @Test
    void gettingOnNeedsTheTurnOfTheLastSettle() {
        Ridden front = ridden("i1", 1);
        Owned owned = own("i1", TWO_LANES);
        long former = owned.turn();
        owned.read();
        assertThat(owned.settle(changes -> {})).isTrue();
        Touched outdated = touched(owned, owned.grant.lease().epoch(), former);
        Moved moved = front.write(new Move(
                front.id, front.turn(), ++turns, tail(), 0, List.of(), List.of(outdated), List.of(), List.of()));
        assertThat(moved.touched()).isEmpty();
        assertThat(standing(owned)).isEqualTo(owned.mark);
        assertThat(isOnItsOwn(owned)).isTrue();
        assertThat(front.board(owned).touched()).containsExactly(lane(owned));
    }

    @Test
    void gettingOnNeedsALaneThatStandsByItself() {
        Ridden front = ridden("i1", 1);
        Owned rider = front.riders.get(0);
        Ridden another = new Ridden(process("i1"), tail(), List.of());
        assertThat(another.board(rider).touched()).isEmpty();
        another.moveTo(tail());
        assertThat(standing(rider)).isEqualTo(front.at);
        assertThat(front.board(rider).touched()).as("not twice either").isEmpty();
    }

    @Test
    void gettingOffNeedsTheEpochOfTheLane() {
        Ridden front = ridden("i1", 1);
        Owned rider = front.riders.get(0);
        Touched formers = touched(rider, rider.grant.lease().epoch() + 1, rider.turn());
        Moved moved = front.write(new Move(
                front.id, front.turn(), ++turns, tail(), 0, List.of(formers), List.of(), List.of(), List.of()));
        assertThat(moved.touched()).isEmpty();
        assertThat(isOnItsOwn(rider)).isFalse();
        front.moveTo(tail());
        assertThat(standing(rider)).as("it rides on").isEqualTo(front.at);
    }

    @Test
    void gettingOffNeedsALaneThatRidesOnThisVeryFront() {
        Ridden front = ridden("i1", 1);
        Ridden another = ridden("i1", 1);
        Owned rider = front.riders.get(0);
        assertThat(another.anchor(tail(), rider).touched()).isEmpty();
        assertThat(standing(rider)).isEqualTo(front.at);
        Owned apart = another.riders.get(0);
        assertThat(another.anchor(tail(), apart).touched()).containsExactly(lane(apart));
        Mark where = standing(apart);
        assertThat(another.anchor(tail(), apart).touched())
                .as("it is not aboard any more")
                .isEmpty();
        assertThat(standing(apart)).isEqualTo(where);
    }

    @Test
    void whoGetsOffStandsWhereTheSameMoveMovesTheFront() {
        Ridden front = ridden("i1", 2);
        Owned off = front.riders.get(0);
        Owned stays = front.riders.get(1);
        Mark there = tail();
        front.move(there, 4711, List.of(off), List.of());
        assertThat(standing(off)).isEqualTo(there);
        front.moveTo(tail());
        assertThat(standing(off)).isEqualTo(there);
        assertThat(standing(stays)).isEqualTo(front.at);
        StoredLane stored = begun(off);
        assertThat(stored.mark()).isEqualTo(there);
        assertThat(stored.readSeq()).as("all that the front has read").isEqualTo(4711);
    }

    @Test
    void aLaneThatRidesSettlesNothingAndWhoGotOffGoesOnByTheTurnOfThatMove() {
        record("a");
        Owned rider = own("i1", subscription(s -> s));
        Ridden front = new Ridden(process("i1"), tail(), List.of(rider));
        RecordedEvent event = rider.read().get(0);
        assertThat(rider.lane.settle(rider.settlement(changes -> changes.put(held(event)))))
                .isEqualTo(Settled.LOST);
        assertThat(rider.lane.row(event.seq())).isNull();
        assertThat(standing(rider)).isEqualTo(front.at);
        assertThat(front.anchor(tail(), rider).touched()).containsExactly(lane(rider));
        assertThat(rider.settle(changes -> changes.put(held(event)))).isTrue();
        assertThat(rider.lane.row(event.seq())).isNotNull();
    }

    @Test
    void gettingOnForgetsWhatTheLaneStoodStillFor() {
        Owned owned = own("i1", subscription(s -> s));
        long id = owned.grant.subscriptionId();
        process("i1").request(id, TWO_LANES);
        assertThat(owned.park(process("i1").sharing(id))).isTrue();
        assertThat(begun(owned).parkedFor()).isNotNull();
        Ridden front = new Ridden(process("i1"), tail(), List.of(owned));
        process("i1").advance(id);
        assertThat(process("i1").sharing(id).stopAt())
                .as("nobody takes it for one that stands still")
                .isNull();
        front.anchor(tail(), owned);
        assertThat(begun(owned).parkedFor()).isNull();
    }

    /** One that it is handed while it rides may have been handed to the owner before it too. */
    @Test
    void takeOversAreForgottenWhenTheFrontSaysSo() {
        ownAll("dead", TWO_LANES, 2);
        store.advance(TTL.plusSeconds(1));
        List<Owned> taken = ownAll("i1", TWO_LANES, 2);
        Owned rider = taken.get(0);
        Owned other = taken.get(1);
        assertThat(rider.stored.takeovers()).isOne();
        assertThat(other.stored.takeovers()).isOne();
        Ridden front = new Ridden(process("i1"), tail(), List.of(rider));
        assertThat(front.calm(other).touched()).as("which does not ride").isEmpty();
        front.anchor(tail(), rider);
        assertThat(begun(rider).takeovers()).as("not by getting on and off").isOne();
        front.board(rider);
        assertThat(front.calm(rider).touched()).containsExactly(lane(rider));
        front.anchor(tail(), rider);
        assertThat(begun(rider).takeovers()).isZero();
        assertThat(begun(other).takeovers()).isOne();
    }

    // ---- beginning anew

    @Test
    void whoBeginsAnewWhileItRidesTakesAllOffWhereTheFrontStoodAndItMovesNoMore() {
        Ridden front = ridden("i1", 2);
        Owned one = front.riders.get(0);
        Owned other = front.riders.get(1);
        front.move(tail(), 4711, List.of(), List.of());
        StoredLane stored = begun(one);
        assertThat(stored.mark()).isEqualTo(front.at);
        assertThat(stored.readSeq()).isEqualTo(4711);
        assertThat(stored.takeovers()).isZero();
        Mark where = front.at;
        assertThat(front.anchor(tail(), other)).isEqualTo(Moved.ENDED);
        assertThat(standing(other)).isEqualTo(where);
        one.stands(where, stored.turn());
        other.read();
        assertThat(isOnItsOwn(other)).as("not by a turn of before").isFalse();
        other.stands(where, begun(other).turn());
        assertThat(isOnItsOwn(one)).isTrue();
        assertThat(isOnItsOwn(other)).isTrue();
    }

    @Test
    void aFormerOwnerThatBeginsAnewEndsNoFront() {
        Owned former = own("dead", subscription(s -> s));
        store.advance(TTL.plusSeconds(1));
        Owned owned = own("i1", subscription(s -> s));
        Ridden front = new Ridden(process("i1"), tail(), List.of(owned));
        assertThat(former.lane.begin()).isNull();
        assertThat(front.moveTo(tail()).done()).isTrue();
        assertThat(standing(owned)).isEqualTo(front.at);
    }

    // ---- taking over

    @Test
    void lanesOfADeadSessionAreTakenWhereTheirFrontStood() {
        Ridden front = ridden("dead", 2);
        front.move(tail(), 4711, List.of(), List.of());
        Mark where = front.at;
        store.advance(TTL.plusSeconds(1));
        Owned heir = own("i1", TWO_LANES);
        assertThat(heir.stored.mark()).isEqualTo(where);
        assertThat(heir.stored.readSeq()).isEqualTo(4711);
        assertThat(heir.stored.takeovers()).isOne();
        assertThat(front.moveTo(tail())).as("one that was in flight").isEqualTo(Moved.ENDED);
        Owned next = own("i2", TWO_LANES);
        assertThat(next.stored.mark()).as("for an heir that comes later too").isEqualTo(where);
        assertThat(next.stored.takeovers()).isOne();
        heir.read();
        next.read();
        assertThat(isOnItsOwn(heir)).isTrue();
        assertThat(isOnItsOwn(next)).isTrue();
    }

    /** A stand-by that was promoted may have forgotten that the lane had got off before. */
    @Test
    void aLaneThatWasGivenUpIsTakenOnceTheFrontThatCarriesItHasEnded() {
        Ridden front = ridden("i1", 2);
        Owned given = front.riders.get(0);
        Owned kept = front.riders.get(1);
        front.moveTo(tail());
        Mark where = front.at;
        process("i1").leases.release(List.of(given.grant.lease()));
        assertThat(front.moveTo(where).done()).as("nobody has asked for it").isTrue();
        Owned taken = own("i2", TWO_LANES);
        assertThat(lane(taken)).isEqualTo(lane(given));
        assertThat(taken.stored.mark()).isEqualTo(where);
        assertThat(taken.stored.takeovers()).as("not by force").isZero();
        assertThat(front.moveTo(tail())).isEqualTo(Moved.ENDED);
        assertThat(begun(kept).mark()).isEqualTo(where);
    }

    @Test
    void aFrontThatHasEndedStaysForWhoeverRidesOnItHoweverManyBeginMeanwhile() {
        Ridden front = ridden("i1", 1);
        Mark where = front.at;
        front.end();
        ridden("i2", 1);
        ridden("i3", 0);
        assertThat(standing(front.riders.get(0))).isEqualTo(where);
        assertThat(begun(front.riders.get(0)).mark()).isEqualTo(where);
    }
}
