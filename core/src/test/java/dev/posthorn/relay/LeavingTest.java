package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Guards;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A lane that is told to leave. */
class LeavingTest {

    /**
     * Found by changes of a subscription under load: told to leave in the middle of a pass, a lane ended with events
     * delivered behind one that was not sent, and its heir delivered them again.
     */
    @Test
    void anOrderInTheMiddleOfAPassLeavesNothingInDoubt() {
        RecordingSink sink = RecordingSink.oneAtATime();
        Instances instances = new Instances(sink, Guards.ALL);
        AtomicReference<Lane> told = new AtomicReference<>();
        instances.listener(new RelayListener() {
            @Override
            public void delivered(String subscription, String lane, int events) {
                told.get().order(told.get().orders().leaving());
            }
        });
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        Lane lane = relay.lanes().get(0);
        told.set(lane);
        instances.database.record("k");
        instances.database.record("k");
        instances.database.record("other");
        relay.step();
        assertThat(sink.receivedSeqs()).containsExactly(1L, 3L);
        instances.clock.advance(Duration.ofMillis(60));
        relay.step();
        assertThat(lane.orders().leave()).as("told while it settled").isTrue();
        relay.run(3);
        assertThat(lane.state()).isEqualTo(Lane.State.LEFT);
        relay.leave();
        instances.start("b", s -> s.lanes(1)).run(5);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 3L, 2L);
    }
}
