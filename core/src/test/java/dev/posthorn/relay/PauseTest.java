package dev.posthorn.relay;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A paused subscription is quiet when no instance will send any more, and not before. */
class PauseTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());

    @Test
    void isQuietWhenEveryInstanceHasObeyed() {
        SteppedRelay one = instances.start("a", 2);
        SteppedRelay other = instances.start("b", 2);
        one.pass().run(2).pass().run(2);
        other.pass().run(2);
        assertThat(instances.owned("a")).isEqualTo(instances.owned("b")).isOne();
        instances.subscriptions().pause("test", null, OPS);
        assertThat(instances.subscriptions().isQuiet("test")).isFalse();
        one.pass().run(1).pass();
        assertThat(instances.subscriptions().isQuiet("test"))
                .as("the other has not looked")
                .isFalse();
        other.pass();
        assertThat(instances.subscriptions().isQuiet("test"))
                .as("its lane may be in the middle of a step")
                .isFalse();
        other.run(1).pass();
        assertThat(instances.subscriptions().isQuiet("test")).isTrue();
        record(10);
        one.run(5).pass().run(5);
        other.run(5).pass().run(5);
        assertThat(instances.keys()).isEmpty();
    }

    @Test
    void isNotQuietWhileSomethingIsOnItsWay() {
        SteppedRelay relay = instances.start("a", 1);
        instances.sink.hold();
        record(1);
        relay.run(2);
        instances.subscriptions().pause("test", null, OPS);
        relay.pass().run(3).pass();
        assertThat(instances.subscriptions().isQuiet("test")).isFalse();
        instances.sink.answerAll();
        relay.run(3).pass();
        assertThat(instances.subscriptions().isQuiet("test")).isTrue();
    }

    @Test
    void anInstanceThatIsGoneCountsUntilItsLeaseHasEnded() {
        instances.start("dead", 1).close();
        instances.subscriptions().pause("test", null, OPS);
        assertThat(instances.subscriptions().pause("test", null, OPS, Duration.ofMillis(50)))
                .isFalse();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        assertThat(instances.subscriptions().pause("test", null, OPS, Duration.ofMillis(50)))
                .isTrue();
    }

    /** What was said of the first pause is not true of the second. */
    @Test
    void aPauseAfterAResumeIsObeyedAnew() {
        SteppedRelay relay = instances.start("a", 1);
        instances.subscriptions().pause("test", null, OPS);
        relay.pass().run(1).pass();
        assertThat(instances.subscriptions().isQuiet("test")).isTrue();
        instances.subscriptions().resume("test", null, OPS);
        assertThat(instances.subscriptions().isQuiet("test")).isFalse();
        relay.pass();
        instances.subscriptions().pause("test", null, OPS);
        assertThat(instances.subscriptions().isQuiet("test"))
                .as("it has orders to send")
                .isFalse();
        relay.pass();
        assertThat(instances.subscriptions().isQuiet("test"))
                .as("it may be in the middle of a step by them")
                .isFalse();
        relay.run(1).pass();
        assertThat(instances.subscriptions().isQuiet("test")).isTrue();
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThatThrownBy(() -> instances.subscriptions().isQuiet("nobody")).isInstanceOf(PosthornException.class);
    }

    private void record(int events) {
        IntStream.range(0, events).forEach(i -> instances.database.record("k" + i));
    }
}
