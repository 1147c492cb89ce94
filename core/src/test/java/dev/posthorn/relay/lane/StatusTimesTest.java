package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Since when an event has its status, as lanes write it. */
class StatusTimesTest {

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final Instances instances = new Instances(sink);

    @Test
    void eachAttemptIsANewBeginningAndWhatIsHeldHasOneOfItsOwn() {
        sink.answering(event -> new Outcome.Retry("busy"));
        SteppedRelay relay = instances.start(
                "a",
                s -> s.lanes(1).retry(RetryPolicy.of(3, Duration.ofSeconds(10)).jitter(0)));
        instances.database.record("x");
        relay.run(5);
        assertThat(times(1)).isEqualTo("PENDING since 00:00:00, failed 00:00:00");
        instances.clock.advance(Duration.ofSeconds(5));
        instances.database.record("x");
        relay.run(5);
        assertThat(times(2)).isEqualTo("HELD since 00:00:05, failed never");

        instances.clock.advance(Duration.ofSeconds(7));
        relay.run(5);
        assertThat(times(1)).isEqualTo("PENDING since 00:00:13, failed 00:00:13");
        assertThat(times(2)).isEqualTo("HELD since 00:00:05, failed never");

        instances.clock.advance(Duration.ofSeconds(11));
        relay.pass().run(20);
        assertThat(times(1)).isEqualTo("FAILED since 00:00:24, failed 00:00:24");
        assertThat(times(2)).isEqualTo("PENDING since 00:00:24, failed 00:00:24");

        sink.answering(event -> Outcome.DELIVERED);
        instances.clock.advance(Duration.ofSeconds(11));
        relay.pass().run(20);
        assertThat(times(2)).isEqualTo("DELIVERED since 00:00:37, failed never");
    }

    @Test
    void anEventThatIsPutOffHasWaitedSinceThen() {
        sink.answering(event -> new Outcome.Retry("busy"));
        SteppedRelay relay = instances.start(
                "a",
                s -> s.lanes(1).retry(RetryPolicy.of(3, Duration.ofHours(1)).jitter(0)));
        instances.database.record("x");
        relay.run(5);
        instances.clock.advance(Duration.ofSeconds(7));
        instances.database.execute("""
                INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, due_at, requested_by)
                SELECT 1, 'DEFER', key, id, seq, posthorn.clock() + interval '2 h', 'ops' FROM posthorn.event
                """);
        relay.run(5);
        assertThat(times(1)).isEqualTo("PENDING since 00:00:07, failed 00:00:00");
    }

    private String times(long seq) {
        return instances.database.value("""
                SELECT status || ' since ' || to_char(last_status_at AT TIME ZONE 'UTC', 'HH24:MI:SS') || ', failed '
                       || coalesce(to_char(last_failed_at AT TIME ZONE 'UTC', 'HH24:MI:SS'), 'never')
                  FROM posthorn.event_status WHERE seq =""" + " " + seq);
    }
}
