package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.fixture.ReplayScenario;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A lane that changed hands by force and goes carefully, while its receiver takes nothing, or not everything. */
class CarefulLaneTest extends ReplayScenario {

    private static final Outcome FAILED = new Outcome.Retry(ErrorClass.SERVER_ERROR, "status 500");
    private static final RetryPolicy THREE = RetryPolicy.of(3, Duration.ofSeconds(30));

    private SteppedRelay start(String instance) {
        return instances.start(instance, s -> s.lanes(1).fromBeginning().retry(THREE));
    }

    private SteppedRelay startCareful() {
        for (int life = 0; life < 2; life++) {
            start("life-" + life).close();
            instances.clock.advance(Instances.TTL.plusSeconds(1));
        }
        return start("careful");
    }

    private void run(SteppedRelay relay, int seconds) {
        for (int i = 0; i < seconds; i++) {
            instances.clock.advance(Duration.ofSeconds(1));
            relay.pass().run(3);
        }
    }

    private void record(int count, String key) {
        IntStream.range(0, count).forEach(i -> instances.database.record(key + i));
    }

    @Test
    void whatIsAnsweredHasEndedNoProcessAndIsNotChargedWithIt() {
        SteppedRelay relay = startCareful();
        sink.answering(event -> FAILED);
        record(8, "k");
        run(relay, 20);
        assertThat(sink.receivedSeqs()).hasSize(8);
        assertThat(letters()).isZero();
        assertThat(instances.database.number("SELECT max(attempts) FROM posthorn.delivery"))
                .isOne();
    }

    @Test
    void whatFailsDoesNotComeBeforeWhatWasNotTried() {
        SteppedRelay relay = startCareful();
        sink.answering(event -> String.valueOf(event.event().key()).startsWith("good") ? Outcome.DELIVERED : FAILED);
        record(20, "bad");
        run(relay, 20);
        instances.database.record("good");
        assertThat(sink.receivedSeqs()).as("each of them once").hasSize(20);
        run(relay, 2);
        assertThat(sink.receivedSeqs()).hasSize(21).contains(21L);
    }

    /** With its limit of 10,000 a lane that events come to all the time would send them one by one for hours. */
    @Test
    void whatIsRecordedAfterTheTakeOversIsNotSentOneByOneForLong() {
        SteppedRelay relay = startCareful();
        record(10, "before");
        run(relay, 1);
        for (int i = 0; i < 300; i++) {
            record(3, "after" + i + "-");
            run(relay, 1);
        }
        run(relay, 30);
        assertThat(sink.receivedSeqs()).hasSize(910);
        assertThat(instances.database.number("SELECT max(takeovers) FROM posthorn.lane_mark"))
                .isZero();
    }

    /** Each of them has lived for long by then, waiting for its turn to try something. */
    @Test
    void aReplayThatIsTriedOnceInAWhileDoesNotEndOneProcessAfterTheOther() {
        UnaryOperator<Subscription.Builder> once =
                s -> s.lanes(1).timeout(Duration.ofMillis(500)).retry(RetryPolicy.of(1, Duration.ofSeconds(30)));
        SteppedRelay relay = instances.start("first", once);
        sink.answering(event -> FAILED);
        record(10, "k");
        run(relay, 10);
        assertThat(letters()).as("everything is refused, and nothing waits").isEqualTo(10);
        replay("", "SELECT seq, event_id, key, id FROM posthorn.dead_letter WHERE seq = 1");
        sink.answering(event -> {
            throw new ThreadDeath();
        });
        int deaths = 0;
        for (int life = 0; life < 8; life++) {
            try {
                run(relay, 30);
            } catch (ThreadDeath ended) {
                deaths++;
            }
            relay.close();
            instances.clock.advance(Instances.TTL.plusSeconds(1));
            relay = instances.start("life-" + life, once);
        }
        assertThat(deaths).isBetween(1, 4);
    }
}
