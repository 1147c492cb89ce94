package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Filter;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Changing the number of lanes neither loses, doubles nor reorders. */
class LaneChangeTest {

    @Test
    void oldLanesStopAndNewOnesStartAtOneSnapshot() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay old = instances.start("old", 2);
        record(instances, 20);
        old.run(2);
        SteppedRelay wider = instances.start("wider", 5);
        for (int i = 0; i < 12; i++) {
            record(instances, 20);
            old.pass();
            record(instances, 20);
            old.run(2);
            wider.pass().run(2);
        }
        old.run(40);
        wider.run(40);
        assertThat(instances.stored().lanes()).isEqualTo(5);
        assertThat(old.lanes().size() + wider.lanes().size()).isEqualTo(5);
        assertThat(instances.sink.receivedSeqs()).hasSize(20 + 12 * 40).doesNotHaveDuplicates();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.lane_mark"))
                .isEqualTo(5);
    }

    @Test
    void theChangeShowsAsPendingAndWaitsForTheLastLane() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("old", 2);
        instances.sink.hold();
        record(instances, 4);
        relay.run(1);
        SteppedRelay narrower = instances.start("narrower", 1);
        for (int i = 0; i < 4; i++) {
            relay.pass().run(1);
            narrower.pass().run(1);
        }
        assertThat(instances.stored())
                .isEqualTo(new Subscriptions.Stored(
                        "test", 1, 2, Filter.ALL, false, null, new Subscriptions.Wanted(1, Filter.ALL)));
        instances.sink.answerAll();
        for (int i = 0; i < 8; i++) {
            relay.pass().run(2);
            narrower.pass().run(2);
        }
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 1, Filter.ALL, false, null, null));
        record(instances, 3);
        relay.pass().run(2);
        narrower.pass().run(2);
        assertThat(instances.sink.receivedSeqs()).hasSize(7).doesNotHaveDuplicates();
    }

    @Test
    void aLaneThatStandsStillDoesNotKeepItsWorkerBusy() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("old", 2);
        relay.run(1);
        instances.start("wider", 3);
        relay.pass().run(2);
        instances.clock.advance(Duration.ofSeconds(1));
        assertThat(relay.lanes())
                .isNotEmpty()
                .allSatisfy(lane -> assertThat(lane.step()).isPositive());
    }

    private static void record(Instances instances, int count) {
        IntStream.range(0, count).forEach(i -> instances.database.record("k" + i));
    }
}
