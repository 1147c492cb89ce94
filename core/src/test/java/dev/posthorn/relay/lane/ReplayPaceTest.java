package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.fixture.ReplayScenario;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.WhenUnavailable;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How a replay is paced, paused, tried out and ended, as its lanes see it. */
class ReplayPaceTest extends ReplayScenario {

    @Test
    void aRateIsKeptByAllLanesTogether() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(4));
        letters(relay, keys(100));
        replayAll("rate_per_second = 10");
        instances.clock.advance(Duration.ofSeconds(1));
        relay.run(10);
        int before = sink.received().size();
        relay.run(50);
        assertThat(sink.received().size() - before).as("in 5 seconds").isBetween(48, 52);
    }

    @Test
    void fewerInFlightThanLanesAreKeptToo() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(4));
        letters(relay, keys(12));
        long replay = replayAll("max_in_flight = 2");
        for (int i = 0; i < 40; i++) {
            sink.hold();
            relay.run(3);
            assertThat(sink.waiting()).hasSizeLessThanOrEqualTo(2);
            sink.answerAll();
            relay.run(1);
        }
        assertThat(accounts(replay)).isEqualTo("FINISHED 12 = 12 delivered");
    }

    @Test
    void aPausedOneSendsNothingMoreUntilItIsResumed() {
        SteppedRelay relay = startWithLetters(10, s -> s);
        long replay = replayAll("rate_per_second = 2");
        instances.clock.advance(Duration.ofSeconds(1));
        relay.run(15);
        instances.database.execute("UPDATE posthorn.replay SET state = 'PAUSED'");
        relay.run(5);
        int sent = sink.received().size();
        assertThat(sent).isBetween(11, 16);
        relay.run(50);
        assertThat(sink.received()).hasSize(sent);
        instances.database.execute("UPDATE posthorn.replay SET state = 'RUNNING', rate_per_second = NULL");
        run(relay);
        assertThat(sink.receivedSeqs()).hasSize(20).endsWith(8L, 9L, 10L);
        assertThat(accounts(replay)).isEqualTo("FINISHED 10 = 10 delivered");
    }

    @Test
    void aPausedOneSendsNothingMoreThoughSomethingIsStillOnItsWay() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        letters(relay, keys(40));
        sink.hold();
        long replay = replayAll("rate_per_second = 10");
        instances.clock.advance(Duration.ofSeconds(1));
        relay.run(10);
        instances.database.execute("UPDATE posthorn.replay SET state = 'PAUSED'");
        relay.run(5);
        int sent = sink.waiting().size();
        assertThat(sent).isBetween(1, 20);
        relay.run(30);
        assertThat(sink.waiting()).hasSize(sent);
        sink.answerAll();
        instances.database.execute("UPDATE posthorn.replay SET state = 'RUNNING', rate_per_second = NULL");
        run(relay);
        assertThat(accounts(replay)).isEqualTo("FINISHED 40 = 40 delivered");
    }

    @Test
    void aResumedOneGoesOnThoughSomethingWasOnItsWayAllTheTime() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).inFlightLimit(4));
        letters(relay, keys(10));
        sink.hold();
        long replay = replayAll("");
        run(relay);
        assertThat(sink.waiting()).as("as many as there may be").hasSize(4);
        instances.database.execute("UPDATE posthorn.replay SET state = 'PAUSED'");
        relay.run(5);
        instances.database.execute("UPDATE posthorn.replay SET state = 'RUNNING'");
        relay.run(5);
        sink.answerAll();
        run(relay);
        assertThat(accounts(replay)).isEqualTo("FINISHED 10 = 10 delivered");
    }

    @Test
    void whatWasOnItsWayWhenItWasCancelledIsCountedAsWhatItBecame() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(2));
        letters(relay, List.of("a", "b", "c", "d"));
        sink.hold();
        bad.add(2L);
        long replay = replayAll("max_in_flight = 2");
        run(relay);
        int onTheirWay = sink.waiting().size();
        assertThat(onTheirWay).isBetween(1, 2);
        instances.database.execute("""
                UPDATE posthorn.replay SET state = 'CANCELLED', ended_at = posthorn.clock();
                UPDATE posthorn.replay_item SET state = 'SKIPPED', reason = 'cancelled', ended_at = posthorn.clock()
                """);
        sink.answerAll();
        run(relay);
        assertThat(sink.received()).hasSize(4 + onTheirWay);
        assertThat(accounts(replay)).startsWith("CANCELLED 4 = ").contains("SKIPPED cancelled");
        assertThat(sum(replay)).isEqualTo(4);
        assertThat(letters()).isEqualTo(4 - delivered(replay));
    }

    @Test
    void aCancelledOneIsNoProbe() {
        sink.taking(1);
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).whenUnavailable(WhenUnavailable.WAIT));
        letters(relay, keys(5));
        sink.answering(event -> new Outcome.Unavailable("down"));
        long replay = replayAll("");
        run(relay);
        cancel();
        run(relay);
        int sent = sink.received().size();
        for (int i = 0; i < 5; i++) {
            run(relay);
        }
        assertThat(sink.received()).hasSize(sent);
        assertThat(accounts(replay)).isEqualTo("CANCELLED 5 = 0 delivered, 5 SKIPPED cancelled");
    }

    @Test
    void aCanaryInALaterLaneGoesThoughFewerMayBeInFlightThanThereAreLanes() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(4));
        letters(relay, keys(12));
        long replay = replayAll("max_in_flight = 1, canary = 3, trying = true");
        instances.database.execute("""
                UPDATE posthorn.replay_item i SET canary = key_hash % 4 = (SELECT max(key_hash % 4) FROM posthorn.replay_item)
                """);
        for (int i = 0; i < 5; i++) {
            run(relay);
        }
        assertThat(accounts(replay)).startsWith("WAITING_FOR_GO 12 = ").doesNotContain(" 0 delivered");
    }

    @Test
    void whatIsOnItsWayForACancelledReplayIsSeenToByTheNextOne() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).timeout(Duration.ofSeconds(14)));
        letters(relay, keys(2));
        sink.hold();
        replayAll("");
        run(relay);
        cancel();
        long next = replayAll("");
        run(relay);
        sink.answerAll();
        run(relay);
        run(relay);
        assertThat(accounts(next)).isEqualTo("FINISHED 2 = 0 delivered, 2 SKIPPED gone");
        assertThat(letters()).isZero();
    }

    @Test
    void aDeadLetterOnItsWayForACancelledReplayIsNotReleasedToo() {
        SteppedRelay relay = instances.start(
                "a", s -> s.lanes(1).afterDeadLetter(AfterDeadLetter.HOLD).timeout(Duration.ofSeconds(14)));
        bad.add(1L);
        List.of("x", "x").forEach(instances.database::record);
        relay.run(5);
        bad.clear();
        sink.hold();
        replayAll("");
        run(relay);
        cancel();
        instances.database.execute("""
                INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, requested_by)
                SELECT 1, 'RELEASE', key, id, seq, 'ops' FROM posthorn.event WHERE seq = 1
                """);
        run(relay);
        sink.answerAll();
        run(relay);
        sink.answerAll();
        run(relay);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 1L, 2L);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
    }

    private void cancel() {
        instances.database.execute("""
                UPDATE posthorn.replay SET state = 'CANCELLED', ended_at = posthorn.clock() WHERE state = 'RUNNING';
                UPDATE posthorn.replay_item SET state = 'SKIPPED', reason = 'cancelled', ended_at = posthorn.clock()
                 WHERE state = 'PENDING'
                """);
    }

    @Test
    void aCanaryGoesAheadAndTheRestWaitsForAGo() {
        SteppedRelay relay = startWithLetters(10, s -> s);
        long replay = replayAll("canary = 3, trying = true");
        run(relay);
        assertThat(sink.received()).hasSize(13);
        assertThat(accounts(replay)).isEqualTo("WAITING_FOR_GO 10 = 3 delivered, 7 PENDING");
        instances.database.execute("UPDATE posthorn.replay SET state = 'RUNNING', trying = false");
        run(relay);
        assertThat(accounts(replay)).isEqualTo("FINISHED 10 = 10 delivered");
    }

    @Test
    void aCanaryThatIsDeliveredWholeGoesOnByItselfIfItMay() {
        SteppedRelay relay = startWithLetters(10, s -> s);
        bad.add(2L);
        long replay = replayAll("canary = 3, trying = true, canary_goes_on = true");
        run(relay);
        assertThat(accounts(replay)).as("one failed").startsWith("WAITING_FOR_GO 10 = 2 delivered, ");
        instances.database.execute("UPDATE posthorn.replay SET state = 'RUNNING', trying = false");
        run(relay);
        bad.clear();
        long again = replayAll("canary = 1, trying = true, canary_goes_on = true");
        run(relay);
        assertThat(accounts(replay)).isEqualTo("FINISHED 10 = 9 delivered, 1 FAILED rejected");
        assertThat(accounts(again)).isEqualTo("FINISHED 1 = 1 delivered");
    }

    @Test
    void itStopsWhenTooManyFail() {
        SteppedRelay relay = startWithLetters(100, s -> s);
        LongStream.rangeClosed(1, 100).forEach(bad::add);
        long replay = replayAll("stop_at_failure_rate = 0.5, max_in_flight = 5");
        run(relay);
        assertThat(accounts(replay)).startsWith("PAUSED 100 = 0 delivered, 10 FAILED");
        assertThat(instances.database.value("SELECT state_reason FROM posthorn.replay"))
                .isEqualTo("10 of 10 items failed, which is more than the 0.5 allowed");
    }
}
