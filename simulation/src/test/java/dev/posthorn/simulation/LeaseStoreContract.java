package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a lease keeper relies on. */
abstract class LeaseStoreContract extends Contract {

    @Test
    void aSubscriptionIsMadeOnceAndStartsWhereItSays() {
        record("before");
        Subscription fromNow = subscription(Subscription.Builder::fromNow);
        long id = store.leases("i1").register(fromNow);
        assertThat(store.leases("i2").register(subscription(s -> s))).isEqualTo(id);
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
    void aLaneHasOneOwnerUntilItsLeaseEnds() {
        Subscription two = subscription(s -> s.lanes(2));
        List<Owned> first = ownAll("i1", two, 1);
        assertThat(first).hasSize(1);
        assertThat(first.get(0).stored.takeovers()).isZero();
        assertThat(ownAll("i2", two, 5)).hasSize(1);
        assertThat(ownAll("i3", two, 5)).isEmpty();
        store.advance(TTL.minusSeconds(1));
        assertThat(store.leases("i1").renew(List.of(first.get(0).grant.lease()), two))
                .hasSize(1);
        assertThat(store.leases("i2").renew(List.of(first.get(0).grant.lease()), two))
                .as("somebody else's")
                .isEmpty();
        store.advance(Duration.ofSeconds(2));
        List<Owned> forced = ownAll("i3", two, 5);
        assertThat(forced).as("the one that was not renewed").hasSize(1);
        assertThat(forced.get(0).stored.takeovers()).isEqualTo(1);
        assertThat(forced.get(0).grant.lease().epoch())
                .isNotEqualTo(first.get(0).grant.lease().epoch());
    }

    @Test
    void aLaneThatWasGivenUpIsFreeAndWasNotTakenByForce() {
        record("a");
        Owned owned = own("i1", subscription(s -> s));
        owned.read();
        owned.settle(changes -> {});
        store.leases("i2").release(owned.grant.lease());
        assertThat(ownAll("i2", subscription(s -> s), 1))
                .as("not his to give up")
                .isEmpty();
        store.leases("i1").release(owned.grant.lease());
        Owned next = own("i2", subscription(s -> s));
        assertThat(next.stored.takeovers()).isZero();
        assertThat(next.stored.turn()).isEqualTo(1);
        assertThat(next.stored.mark()).isEqualTo(owned.mark);
        assertThat(owned.settle(changes -> {})).isFalse();
    }

    @Test
    void instancesCountInTheSharingUntilTheyAreNotHeardOf() {
        Subscription subscription = subscription(s -> s);
        long id = store.leases("i1").register(subscription);
        assertThat(store.leases("i1").sharing(id).instances()).isEmpty();
        store.leases("i2").appear(id, subscription, false);
        store.advance(Duration.ofSeconds(20));
        store.leases("i1").appear(id, subscription, false);
        assertThat(store.leases("i1").sharing(id).instances()).containsExactly("i1", "i2");
        store.advance(Duration.ofSeconds(20));
        assertThat(store.leases("i1").sharing(id).instances()).containsExactly("i1");
        store.leases("i1").disappear();
        assertThat(store.leases("i1").sharing(id).instances()).isEmpty();
        assertThat(store.leases("i1").appear(id + 1000, subscription, false)).isFalse();
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
        LeaseStore leases = store.leases("i1");
        long id = owned.grant.subscriptionId();
        leases.request(id, one);
        assertThat(leases.sharing(id).isChanging()).as("as it is").isFalse();
        leases.request(id, three);
        assertThat(leases.sharing(id).isChanging()).isTrue();
        leases.advanceChange(id);
        assertThat(leases.sharing(id).stopAt()).as("nobody is parked").isNull();
        owned.park(leases.sharing(id));
        store.pause("test", true);
        leases.advanceChange(id);
        assertThat(leases.sharing(id).stopAt()).as("paused").isNull();
        assertThat(leases.sharing(id).paused()).isTrue();
        store.pause("test", false);
        record("later");
        leases.advanceChange(id);
        Snapshot stopAt = leases.sharing(id).stopAt();
        assertThat(stopAt).isNotNull();
        leases.advanceChange(id);
        assertThat(leases.sharing(id).generation()).as("not there yet").isEqualTo(1);
        owned.mark = dev.posthorn.log.Mark.at(stopAt);
        owned.settle(changes -> {});
        assertThat(leases.ended(List.of(owned.grant.lease()))).isEmpty();
        assertThat(owned.lane.hasEnded()).isFalse();
        leases.advanceChange(id);
        LeaseStore.Sharing sharing = leases.sharing(id);
        assertThat(sharing.generation()).isEqualTo(2);
        assertThat(sharing.lanes()).isEqualTo(3);
        assertThat(sharing.filter())
                .isEqualTo(Filter.types("a*", "b*").header("a", "2").header("z", "\"1\""));
        assertThat(sharing.isChanging()).isFalse();
        assertThat(sharing.stopAt()).isNull();
        assertThat(owned.settle(changes -> {}))
                .as("by an owner of the former generation")
                .isFalse();
        assertThat(leases.renew(List.of(owned.grant.lease()), one)).isEmpty();
        assertThat(leases.ended(List.of(owned.grant.lease())))
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
        LeaseStore leases = store.leases("i1");
        long id = owned.grant.subscriptionId();
        leases.request(id, subscription(s -> s.lanes(2)));
        LeaseStore.Sharing first = leases.sharing(id);
        owned.park(first);
        leases.request(id, subscription(s -> s.lanes(3)));
        assertThat(leases.sharing(id).change()).isEqualTo(first.change());
        leases.advanceChange(id);
        Snapshot stopAt = leases.sharing(id).stopAt();
        assertThat(stopAt).isNotNull();
        leases.request(id, subscription(s -> s.lanes(5)));
        assertThat(leases.sharing(id).stopAt()).isEqualTo(stopAt);
        owned.mark = dev.posthorn.log.Mark.at(stopAt);
        owned.settle(changes -> {});
        leases.advanceChange(id);
        assertThat(leases.sharing(id).generation()).isEqualTo(2);
        assertThat(leases.sharing(id).lanes()).isEqualTo(5);
    }

    @Test
    void aWishThatIsWithdrawnLeavesNothingBehindForTheNextOne() {
        Owned owned = own("i1", subscription(s -> s));
        LeaseStore leases = store.leases("i1");
        long id = owned.grant.subscriptionId();
        leases.request(id, subscription(s -> s.lanes(2)));
        LeaseStore.Sharing first = leases.sharing(id);
        owned.park(first);
        leases.advanceChange(id);
        assertThat(leases.sharing(id).stopAt()).isNotNull();
        leases.request(id, subscription(s -> s));
        assertThat(leases.sharing(id).isChanging()).isFalse();
        assertThat(leases.sharing(id).stopAt()).isNull();
        leases.advanceChange(id);
        assertThat(leases.sharing(id).generation()).isOne();
        leases.request(id, subscription(s -> s.lanes(2)));
        assertThat(leases.sharing(id).change()).isNotNull().isNotEqualTo(first.change());
        leases.advanceChange(id);
        assertThat(leases.sharing(id).stopAt())
                .as("it stood still for another one")
                .isNull();
        owned.park(leases.sharing(id));
        leases.advanceChange(id);
        assertThat(leases.sharing(id).stopAt()).isNotNull();
    }

    @Test
    void aWishOfAnOlderRevisionIsIgnored() {
        Subscription first = subscription(s -> s.revision(3));
        long id = own("i1", first).grant.subscriptionId();
        LeaseStore leases = store.leases("i1");
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
