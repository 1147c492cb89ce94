package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Look;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Sharing;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a lease keeper relies on. */
abstract class LeaseStoreContract extends Contract {

    @Test
    void aSubscriptionIsMadeOnceAndStartsWhereItSays() {
        record("before");
        Subscription fromNow = subscription(Subscription.Builder::fromNow);
        long id = process("i1").register(fromNow);
        assertThat(process("i2").register(subscription(s -> s))).isEqualTo(id);
        record("after");
        assertThat(own("i1", fromNow).read())
                .extracting(event -> event.event().key())
                .containsExactly("after");
    }

    @Test
    void aSubscriptionFromATimeOnTakesNothingOlderOfItsFirstWindow() {
        record("old");
        store.advance(Duration.ofSeconds(10));
        record("young");
        Subscription since = subscription(s -> s.from(StoreFixture.START.plusSeconds(5)));
        Owned owned = own("i1", since);
        assertThat(owned.read()).extracting(event -> event.event().key()).containsExactly("young");
    }

    @Test
    void aLaneHasOneOwnerUntilItsSessionEnds() {
        Subscription two = subscription(s -> s.lanes(2));
        List<Owned> first = ownAll("i1", two, 1);
        assertThat(first).hasSize(1);
        assertThat(first.get(0).stored.takeovers()).isZero();
        List<Owned> second = ownAll("i2", two, 5);
        assertThat(second).hasSize(1);
        assertThat(ownAll("i3", two, 5)).isEmpty();
        store.advance(TTL.minusSeconds(1));
        assertThat(process("i1").renew()).isTrue();
        store.advance(Duration.ofSeconds(2));
        List<Owned> forced = ownAll("i4", two, 5);
        assertThat(forced).as("that of the one that was not renewed").hasSize(1);
        assertThat(forced.get(0).grant.lease().laneId())
                .isEqualTo(second.get(0).grant.lease().laneId());
        assertThat(forced.get(0).stored.takeovers()).isEqualTo(1);
        assertThat(forced.get(0).grant.lease().epoch())
                .isNotEqualTo(second.get(0).grant.lease().epoch());
        assertThat(second.get(0).settle(changes -> {})).isFalse();
    }

    /** Others have counted on that, and may have said that a subscription is quiet. */
    @Test
    void aSessionThatHasExpiredDoesNotComeBackThoughNobodyHasEndedItYet() {
        Peer process = process("i1");
        store.advance(TTL.plusSeconds(1));
        assertThat(process.renew()).isFalse();
        assertThat(process.own(subscription(s -> s), 1))
                .as("it takes nothing either")
                .isEmpty();
    }

    @Test
    void twoHeirsOfASessionShareItsLanesWithoutOverlap() {
        Subscription six = subscription(s -> s.lanes(6));
        assertThat(ownAll("dead", six, 6)).hasSize(6);
        store.advance(TTL.plusSeconds(1));
        List<Owned> heirs = new ArrayList<>(ownAll("i1", six, 3));
        heirs.addAll(ownAll("i2", six, 5));
        assertThat(heirs)
                .extracting(owned -> owned.grant.lease().laneId())
                .hasSize(6)
                .doesNotHaveDuplicates();
        assertThat(heirs)
                .allSatisfy(owned -> assertThat(owned.stored.takeovers()).isOne());
    }

    @Test
    void aLaneThatWasGivenUpIsFreeAndWasNotTakenByForce() {
        record("a");
        Owned owned = own("i1", subscription(s -> s));
        owned.read();
        owned.settle(changes -> {});
        process("i2").leases.release(List.of(owned.grant.lease()));
        assertThat(ownAll("i2", subscription(s -> s), 1))
                .as("not his to give up")
                .isEmpty();
        process("i1").leases.release(List.of(owned.grant.lease()));
        Owned next = own("i2", subscription(s -> s));
        assertThat(next.stored.takeovers()).isZero();
        assertThat(next.stored.turn()).isEqualTo(1);
        assertThat(next.stored.mark()).isEqualTo(owned.mark);
        assertThat(owned.settle(changes -> {})).isFalse();
    }

    /** What was taken over by a call whose answer was lost would be served by nobody for as long as the session lives. */
    @Test
    void whatASessionOwnsAndDoesNotHoldIsGivenUp() {
        Subscription three = subscription(s -> s.lanes(3));
        List<Owned> lanes = ownAll("i1", three, 3);
        Lease held = lanes.get(0).grant.lease();
        Lease another = new Lease(
                lanes.get(1).grant.lease().laneId(), 77, new SessionTrust(UUID.randomUUID(), TTL, 0, () -> 0));
        Lease gone = new Lease(1_000_000, 1, new SessionTrust(UUID.randomUUID(), TTL, 0, () -> 0));
        LeaseStore.Doubted doubted = process("i1").leases.reconcile(List.of(held, another, gone));
        assertThat(doubted.lost()).containsExactly(another.laneId());
        assertThat(doubted.ended()).containsExactly(gone.laneId());
        assertThat(ownAll("i2", three, 5))
                .extracting(owned -> owned.stored.takeovers())
                .containsExactly(0, 0);
        assertThat(lanes.get(0).settle(changes -> {})).isTrue();
    }

    @Test
    void sessionsCountInTheSharingUntilTheyAreNotHeardOf() {
        Peer i1 = process("i1");
        Peer i2 = process("i2");
        long id = i1.register(subscription(s -> s));
        assertThat(i1.sharing(id).sessions()).isEmpty();
        i2.leases.serve(List.of(id), List.of());
        store.advance(Duration.ofSeconds(20));
        i1.leases.serve(List.of(id), List.of());
        assertThat(i1.renew()).isTrue();
        assertThat(i1.sharing(id).sessions()).containsExactly(i1.session, i2.session);
        store.advance(Duration.ofSeconds(20));
        assertThat(i1.renew()).isTrue();
        assertThat(i1.sharing(id).sessions()).containsExactly(i1.session);
        i1.leases.serve(List.of(id + 1000), List.of(id));
        assertThat(i1.sharing(id).sessions()).isEmpty();
        assertThat(i1.leases.look(null, List.of(id + 1000)).subscriptions().get(id + 1000))
                .isEmpty();
        i1.leases.serve(List.of(id), List.of());
        i1.leases.close();
        assertThat(i1.sharing(id).sessions()).isEmpty();
        assertThat(i1.renew()).isFalse();
    }

    /** What its lanes have sent may still be on its way. */
    @Test
    void aSessionThatEndsWithLanesLeavesThemUntilItsTimeIsOver() {
        Subscription subscription = subscription(s -> s);
        own("i1", subscription);
        process("i1").leases.close();
        assertThat(ownAll("i2", subscription, 1)).isEmpty();
        store.advance(TTL.plusSeconds(1));
        assertThat(ownAll("i3", subscription, 1)).hasSize(1);
    }

    /** Lanes of a subscription of which nothing is asked are not told to look. */
    @Test
    void aLookTellsWhetherAnythingIsAsked() {
        Peer i1 = process("i1");
        long id = i1.register(subscription(s -> s));
        long other =
                i1.register(Subscription.to("other", RecordingSink.oneAtATime()).build());
        long seq = record("a").get(0);
        assertThat(i1.sharing(id).asks()).isFalse();
        long replay = store.replay(id, StoreFixture.Plan.PLAIN, List.of(seq));
        assertThat(i1.sharing(id).asks()).isTrue();
        store.cancel(replay);
        assertThat(i1.sharing(id).asks()).isFalse();
        store.command(id, Command.Kind.DEFER, seq);
        assertThat(i1.sharing(id).asks()).isTrue();
        assertThat(i1.sharing(other).asks()).isFalse();
    }

    @Test
    void aLookTellsWhatHasChangedSinceTheLastOneAndNothingElse() {
        Peer i1 = process("i1");
        Subscription subscription = subscription(s -> s);
        long id = i1.register(subscription);
        long other =
                i1.register(Subscription.to("other", RecordingSink.oneAtATime()).build());
        i1.leases.serve(List.of(id), List.of());
        Look first = i1.leases.look(null, List.of());
        assertThat(first.subscriptions()).containsOnlyKeys(id);
        assertThat(i1.leases.look(first.snapshot(), List.of()).subscriptions()).isEmpty();
        long seq = record("a").get(0);
        assertThat(i1.leases.look(first.snapshot(), List.of()).subscriptions()).isEmpty();
        assertThat(i1.leases.look(first.snapshot(), List.of(other)).subscriptions())
                .containsOnlyKeys(other);
        List<Runnable> all = List.of(
                () -> store.pause("test", true),
                () -> store.pause("test", false),
                () -> i1.request(id, subscription(s -> s.lanes(2))),
                () -> i1.request(id, subscription),
                () -> process("i2").leases.serve(List.of(id), List.of()),
                () -> process("i2").leases.serve(List.of(), List.of(id)),
                () -> store.command(id, Command.Kind.DEFER, seq),
                () -> store.cancel(store.replay(id, StoreFixture.Plan.PLAIN, List.of(seq))));
        for (Runnable change : all) {
            Look before = i1.leases.look(first.snapshot(), List.of());
            change.run();
            Look after = i1.leases.look(before.snapshot(), List.of());
            assertThat(after.subscriptions())
                    .as("change %s", all.indexOf(change))
                    .containsOnlyKeys(id);
            i1.leases.trim();
        }
    }

    /** A transaction's number says when it began. */
    @Test
    void aChangeIsToldOnceItIsCommittedHoweverOldItsTransactionIs() {
        Peer i1 = process("i1");
        long id = i1.register(subscription(s -> s));
        long other =
                i1.register(Subscription.to("other", RecordingSink.oneAtATime()).build());
        int early = store.begin();
        int late = store.begin();
        Look first = i1.leases.look(null, List.of(id, other));
        store.pause(early, "test", true);
        store.pause(late, "other", true);
        store.commit(late);
        Look second = i1.leases.look(first.snapshot(), List.of());
        assertThat(second.subscriptions()).containsOnlyKeys(other);
        i1.leases.renew(TTL, second.snapshot());
        i1.leases.trim();
        store.commit(early);
        i1.leases.trim();
        Look third = i1.leases.look(second.snapshot(), List.of());
        assertThat(third.subscriptions()).containsOnlyKeys(id);
        assertThat(i1.leases.look(third.snapshot(), List.of()).subscriptions()).isEmpty();
    }

    @Test
    void aPauseIsObeyedWhenEverySessionSaysThatItObeysALookWhichSawIt() {
        Peer i1 = process("i1");
        Peer i2 = process("i2");
        long id = i1.register(subscription(s -> s));
        i1.leases.serve(List.of(id), List.of());
        i2.leases.serve(List.of(id), List.of());
        Look before = i1.leases.look(null, List.of());
        store.pause("test", true);
        i1.leases.renew(TTL, before.snapshot());
        assertThat(store.isQuiet("test")).isFalse();
        Look after = i1.leases.look(before.snapshot(), List.of());
        i1.leases.renew(TTL, after.snapshot());
        assertThat(store.isQuiet("test")).as("the other has not").isFalse();
        i2.leases.renew(TTL, i2.leases.look(null, List.of()).snapshot());
        assertThat(store.isQuiet("test")).isTrue();
        i2.leases.renew(TTL, null);
        assertThat(store.isQuiet("test")).as("as it said before").isTrue();
        process("i3").leases.serve(List.of(id), List.of());
        assertThat(store.isQuiet("test")).as("who begins has no other orders").isTrue();
        store.pause("test", false);
        store.pause("test", true);
        assertThat(store.isQuiet("test")).as("said of an earlier pause").isFalse();
    }

    @Test
    void aGenerationEndsWhereAllItsLanesHaveStopped() {
        Subscription one = subscription(s -> s);
        Subscription three = subscription(s -> s.lanes(3)
                .filter(Filter.types("b*", "a*", "b*").header("z", "\"1\"").header("a", "2")));
        record("a", "b", "c", "d", "e");
        Owned owned = own("i1", one);
        List<RecordedEvent> events = owned.read();
        owned.settle(changes -> events.forEach(event -> changes.put(held(event))));
        Peer leases = process("i1");
        long id = owned.grant.subscriptionId();
        leases.request(id, one);
        assertThat(leases.sharing(id).isChanging()).as("as it is").isFalse();
        leases.request(id, three);
        assertThat(leases.sharing(id).isChanging()).isTrue();
        leases.advance(id);
        assertThat(leases.sharing(id).stopAt()).as("nobody is parked").isNull();
        owned.park(leases.sharing(id));
        store.pause("test", true);
        leases.advance(id);
        assertThat(leases.sharing(id).stopAt()).as("paused").isNull();
        assertThat(leases.sharing(id).paused()).isTrue();
        store.pause("test", false);
        record("later");
        leases.advance(id);
        Snapshot stopAt = leases.sharing(id).stopAt();
        assertThat(stopAt).isNotNull();
        leases.advance(id);
        assertThat(leases.sharing(id).generation()).as("not there yet").isEqualTo(1);
        owned.mark = dev.posthorn.log.Mark.at(stopAt);
        owned.settle(changes -> {});
        assertThat(leases.leases.reconcile(List.of(owned.grant.lease())).ended())
                .isEmpty();
        assertThat(owned.lane.hasEnded()).isFalse();
        leases.advance(id);
        Sharing sharing = leases.sharing(id);
        assertThat(sharing.generation()).isEqualTo(2);
        assertThat(sharing.lanes()).isEqualTo(3);
        assertThat(sharing.filter())
                .isEqualTo(Filter.types("a*", "b*").header("a", "2").header("z", "\"1\""));
        assertThat(sharing.isChanging()).isFalse();
        assertThat(sharing.stopAt()).isNull();
        assertThat(owned.settle(changes -> {}))
                .as("by an owner of the former generation")
                .isFalse();
        assertThat(leases.leases.reconcile(List.of(owned.grant.lease())).ended())
                .containsExactly(owned.grant.lease().laneId());
        assertThat(owned.lane.hasEnded()).isTrue();
        List<Owned> lanes = ownAll("i1", three, 3);
        assertThat(lanes)
                .allSatisfy(lane -> assertThat(lane.stored.mark().isAt(stopAt)).isTrue());
        assertThat(lanes.stream()
                        .mapToInt(lane -> lane.lane.blockedKeys(100).keys().size())
                        .sum())
                .isEqualTo(5);
        for (Owned lane : lanes) {
            for (LaneStore.BlockedKey key : lane.lane.blockedKeys(100).keys()) {
                RecordedEvent event =
                        lane.lane.held(List.of(key.key()), 1).get(0).event();
                assertThat(dev.posthorn.log.KeyHash.lane(
                                key.key(), event.event().id(), 3))
                        .isEqualTo(lane.grant.scope().index());
            }
        }
    }

    @Test
    void aWishThatHasNotBegunIsReplacedAndStaysTheSameChange() {
        Owned owned = own("i1", subscription(s -> s));
        Peer leases = process("i1");
        long id = owned.grant.subscriptionId();
        leases.request(id, subscription(s -> s.lanes(2)));
        Sharing first = leases.sharing(id);
        owned.park(first);
        leases.request(id, subscription(s -> s.lanes(3)));
        assertThat(leases.sharing(id).change()).isEqualTo(first.change());
        leases.advance(id);
        Snapshot stopAt = leases.sharing(id).stopAt();
        assertThat(stopAt).isNotNull();
        leases.request(id, subscription(s -> s.lanes(5)));
        assertThat(leases.sharing(id).stopAt()).isEqualTo(stopAt);
        owned.mark = dev.posthorn.log.Mark.at(stopAt);
        owned.settle(changes -> {});
        leases.advance(id);
        assertThat(leases.sharing(id).generation()).isEqualTo(2);
        assertThat(leases.sharing(id).lanes()).isEqualTo(5);
    }

    @Test
    void aWishThatIsWithdrawnLeavesNothingBehindForTheNextOne() {
        Owned owned = own("i1", subscription(s -> s));
        Peer leases = process("i1");
        long id = owned.grant.subscriptionId();
        leases.request(id, subscription(s -> s.lanes(2)));
        Sharing first = leases.sharing(id);
        owned.park(first);
        leases.advance(id);
        assertThat(leases.sharing(id).stopAt()).isNotNull();
        leases.request(id, subscription(s -> s));
        assertThat(leases.sharing(id).isChanging()).isFalse();
        assertThat(leases.sharing(id).stopAt()).isNull();
        leases.advance(id);
        assertThat(leases.sharing(id).generation()).isOne();
        leases.request(id, subscription(s -> s.lanes(2)));
        assertThat(leases.sharing(id).change()).isNotNull().isNotEqualTo(first.change());
        leases.advance(id);
        assertThat(leases.sharing(id).stopAt())
                .as("it stood still for another one")
                .isNull();
        owned.park(leases.sharing(id));
        leases.advance(id);
        assertThat(leases.sharing(id).stopAt()).isNotNull();
    }

    @Test
    void aWishOfAnOlderRevisionIsIgnored() {
        Subscription first = subscription(s -> s.revision(3));
        long id = own("i1", first).grant.subscriptionId();
        Peer leases = process("i1");
        assertThat(leases.sharing(id).revision()).isEqualTo(3);
        leases.request(id, subscription(s -> s.lanes(2).revision(2)));
        leases.request(id, subscription(s -> s.lanes(2)));
        assertThat(leases.sharing(id).isChanging()).isFalse();
        leases.request(id, subscription(s -> s.lanes(2).revision(4)));
        assertThat(leases.sharing(id).isChanging()).isTrue();
        leases.request(id, first);
        assertThat(leases.sharing(id).isChanging()).isTrue();
        assertThat(leases.sharing(id).revision()).isEqualTo(4);
    }
}
