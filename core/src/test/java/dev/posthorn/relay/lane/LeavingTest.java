package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.RetryPolicy;
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
        Instances instances = new Instances(sink);
        AtomicReference<Lane> told = new AtomicReference<>();
        instances.listener(new RelayListener() {
            @Override
            public void delivered(String subscription, String lane, int events) {
                told.get().order(told.get().orders().leaving());
            }
        });
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        instances.keepApart();
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

    /**
     * Found by changes of a subscription under load: an event that arrived by its row, behind one that was not sent, came
     * again, because the row was gone and the mark was before it.
     */
    @Test
    void whatArrivedByItsRowDoesNotComeAgain() {
        RecordingSink sink = RecordingSink.oneAtATime();
        Instances instances = new Instances(sink);
        SteppedRelay relay = start(instances, "a");
        sink.answering(event -> new Outcome.Retry("not yet"));
        instances.database.record("k");
        relay.run(3);
        sink.answering(event -> Outcome.DELIVERED);
        sink.hold();
        instances.database.record("other");
        instances.database.record("other");
        instances.database.record("k");
        relay.run(3);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery WHERE state = 'HELD' AND seq = 4"))
                .isOne();
        instances.clock.advance(Duration.ofSeconds(2));
        relay.run(3);
        answer(sink, 1);
        relay.run(3);
        answer(sink, 4);
        relay.step();
        relay.lanes().forEach(lane -> lane.order(lane.orders().leaving()));
        answer(sink, 2);
        relay.run(3);
        relay.leave();
        sink.answerAll();
        SteppedRelay heir = start(instances, "b");
        heir.run(5);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 2L, 1L, 4L, 3L);
    }

    private static SteppedRelay start(Instances instances, String name) {
        RetryPolicy retry = RetryPolicy.of(3, Duration.ofSeconds(1)).jitter(0);
        return instances.start(name, s -> s.lanes(1).retry(retry));
    }

    private static void answer(RecordingSink sink, long seq) {
        sink.waiting().stream()
                .filter(each -> each.event().seq() == seq)
                .forEach(each -> each.answer().with(Outcome.DELIVERED));
    }
}
