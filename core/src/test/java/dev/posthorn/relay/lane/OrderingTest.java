package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.Ordering;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A subscription whose keys have no order. */
class OrderingTest {

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final Instances instances = new Instances(sink);

    private SteppedRelay start(Ordering ordering) {
        RetryPolicy retry = RetryPolicy.of(3, Duration.ofSeconds(10)).jitter(0);
        return instances.start("a", s -> s.lanes(1).retry(retry).ordering(ordering));
    }

    private int sentOfThree(Ordering ordering) {
        SteppedRelay relay = start(ordering);
        sink.hold();
        record(3);
        relay.run(3);
        return sink.waiting().size();
    }

    private void record(int events) {
        for (int i = 0; i < events; i++) {
            instances.database.record("k");
        }
    }

    @Test
    void eventsOfAKeyAreUnderWayTogether() {
        assertThat(sentOfThree(Ordering.NONE)).isEqualTo(3);
    }

    @Test
    void withOrderOneEventOfAKeyIsUnderWay() {
        assertThat(sentOfThree(Ordering.KEY)).isEqualTo(1);
    }

    @Test
    void anEventThatFailsKeepsNoOtherOfItsKeyWaiting() {
        SteppedRelay relay = start(Ordering.NONE);
        sink.answering(event -> event.seq() == 1 ? new Outcome.Retry("not yet") : Outcome.DELIVERED);
        record(3);
        relay.run(5);
        assertThat(sink.receivedSeqs()).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(instances.database.value("SELECT string_agg(seq || ' ' || state, ',') FROM posthorn.delivery"))
                .isEqualTo("1 WAITING");
        sink.answering(event -> Outcome.DELIVERED);
        instances.clock.advance(Duration.ofSeconds(11));
        relay.run(5);
        assertThat(sink.receivedSeqs()).containsExactlyInAnyOrder(1L, 2L, 3L, 1L);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
    }

    @Test
    void aKeyCannotBeHeldWithoutAnOrder() {
        assertThatThrownBy(() -> Subscription.to("s", sink)
                        .ordering(Ordering.NONE)
                        .afterDeadLetter(AfterDeadLetter.HOLD)
                        .build())
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("ordering is none");
    }
}
