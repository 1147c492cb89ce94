package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Filter;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A lease is called lost when another instance has the lane, and at no other time. */
class LeaseLostTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final List<String> lost = new ArrayList<>();
    private final Set<Lane> stepped = new LinkedHashSet<>();

    LeaseLostTest() {
        instances.listener(new RelayListener() {
            @Override
            public void leaseLost(String subscription, String lane, int inFlight) {
                lost.add(lane + " with " + inFlight);
            }
        });
    }

    /** Found on two hubs: every change of lanes or filter was told as lanes that another instance had taken. */
    @Test
    void aChangeOfLanesOrFilterLosesNoLease() {
        SteppedRelay first = instances.start("a", 4);
        SteppedRelay second = instances.start("b", 4);
        share(first, second, 10);
        assertThat(instances.owned("a")).isEqualTo(instances.owned("b")).isEqualTo(2);
        change(first, second, settings -> settings.lanes(6));
        change(first, second, settings -> settings.lanes(6).filter(Filter.types("test.*")));
        change(second, first, settings -> settings.lanes(3));
        assertThat(instances.stored().generation()).isEqualTo(4);
        assertThat(lost).isEmpty();
    }

    /** The generation ends under a lane that has something to tell, before its instance has heard of it. */
    @Test
    void aLaneThatSettlesAfterItsGenerationEndedHasLostNoLease() {
        SteppedRelay first = instances.start("a", 2);
        SteppedRelay second = instances.start("b", 2);
        share(first, second, 6);
        List<Lane> former = second.lanes();
        first.serve(subscription(settings -> settings.lanes(3)));
        for (int i = 0; i < 30 && instances.stored().generation() == 1; i++) {
            turn(second);
            turn(first);
        }
        assertThat(instances.stored().generation()).isEqualTo(2);
        breakConnections();
        second.run(3);
        assertThat(former)
                .isNotEmpty()
                .allSatisfy(lane -> assertThat(lane.state()).isEqualTo(Lane.State.LEFT));
        assertThat(lost).isEmpty();
    }

    @Test
    void aLaneThatAnotherInstanceTookIsTold() {
        instances.sink.hold();
        SteppedRelay stale = instances.start("a", 1);
        instances.database.record("k");
        stale.run(2);
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        instances.start("b", 1);
        turn(stale);
        instances.sink.waiting().forEach(waiting -> waiting.answer().with(Outcome.DELIVERED));
        assertThat(lost).containsExactly("test/0 with 1");
    }

    /** Seed 70,120,425: what it had sent was on its way from a former connection, and it said that it had left. */
    @Test
    void aLaneThatWasTakenBeforeItsGenerationEndedIsToldWhateverConnectionItSentOn() {
        instances.sink.hold();
        // The first window is empty, so that a lane that begins anew comes to its event only by its second read.
        SteppedRelay stale = instances.start("a", from -> from.lanes(1).fromBeginning());
        stale.run(1);
        instances.database.record("k");
        stale.run(1);
        assertThat(instances.sink.waiting()).hasSize(1);
        Lane former = stale.lanes().get(0);
        breakConnections();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        instances.sink.answerAll();
        former.step();
        former.step();
        SteppedRelay heir = instances.start("b", 2);
        for (int i = 0; i < 30 && instances.stored().generation() == 1; i++) {
            heir.run(2).pass();
        }
        assertThat(instances.stored().generation()).isEqualTo(2);
        breakConnections();
        former.step();
        former.step();
        assertThat(former.state()).isEqualTo(Lane.State.LOST);
        assertThat(lost).hasSize(1);
    }

    private void breakConnections() {
        instances.database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }

    private void change(SteppedRelay one, SteppedRelay other, UnaryOperator<Subscription.Builder> settings) {
        one.serve(subscription(settings));
        other.serve(subscription(settings));
        share(one, other, 20);
    }

    private void share(SteppedRelay one, SteppedRelay other, int times) {
        for (int i = 0; i < times; i++) {
            instances.database.record("k" + i);
            turn(one);
            turn(other);
        }
    }

    /** As a relay's worker does, every lane is stepped until it has ended, also one that the keeper holds no more. */
    private void turn(SteppedRelay relay) {
        stepped.addAll(relay.lanes());
        relay.pass().run(2);
        stepped.addAll(relay.lanes());
        stepped.forEach(Lane::step);
    }

    private Subscription subscription(UnaryOperator<Subscription.Builder> settings) {
        return settings.apply(Subscription.to("test", instances.sink)).build();
    }
}
