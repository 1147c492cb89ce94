package dev.posthorn.relay.lane;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.fixture.ReplayScenario;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What lanes do about replays. Every scenario ends with all items accounted for. */
class ReplayTest extends ReplayScenario {

    @Test
    void aDeadLetterThatArrivesIsGoneAndCarriesTheReplaysId() {
        SteppedRelay relay = startWithLetters(1, s -> s);
        long replay = replayAll("");
        run(relay);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 1L);
        assertThat(sink.received().get(1).marks()).containsEntry("posthorn-replay", "" + replay);
        assertThat(letters()).isZero();
        assertThat(instances.database.value(
                        "SELECT string_agg(number || outcome, ' ' ORDER BY number) FROM posthorn.attempt"))
                .isEqualTo("1REJECT 2DELIVERED");
        assertThat(status(1)).isEqualTo("DELIVERED");
        assertThat(accounts(replay)).isEqualTo("FINISHED 1 = 1 delivered");
    }

    @Test
    void oneThatFailsReturnsWithTheAttemptAdded() {
        SteppedRelay relay = startWithLetters(1, s -> s);
        bad.add(1L);
        long replay = replayAll("");
        run(relay);
        assertThat(instances.database.value("SELECT attempts || ' ' || replays FROM posthorn.dead_letter"))
                .isEqualTo("2 1");
        assertThat(status(1)).isEqualTo("FAILED");
        assertThat(accounts(replay)).isEqualTo("FINISHED 1 = 0 delivered, 1 FAILED rejected");
    }

    @Test
    void theDeadLettersOfAKeyAreSentInOrderAndOneAtATime() {
        SteppedRelay relay = startWithLetters(5, s -> s);
        sink.hold();
        replayAll("");
        run(relay);
        assertThat(sink.waiting()).hasSize(1);
        sink.answerAll();
        run(relay);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 2L, 3L, 4L, 5L, 1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void aKeyThatWasHeldGoesOn() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).afterDeadLetter(AfterDeadLetter.HOLD));
        bad.add(1L);
        List.of("x", "x", "x").forEach(instances.database::record);
        relay.run(5);
        bad.clear();
        replayAll("");
        run(relay);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 1L, 2L, 3L);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
    }

    @Test
    void liveEventsOfTheKeyGoOnBesideIt() {
        SteppedRelay relay = startWithLetters(50, s -> s);
        sink.hold();
        long replay = replayAll("");
        run(relay);
        instances.database.record("x");
        relay.run(2);
        sink.answerAll();
        relay.run(3);
        assertThat(sink.receivedSeqs().subList(50, 53))
                .as("one item was on its way, then what came live")
                .containsExactly(1L, 51L, 2L);
        run(relay);
        run(relay);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        assertThat(accounts(replay)).isEqualTo("FINISHED 50 = 50 delivered");
    }

    @Test
    void whatComesLiveFindsAPlaceAtTheSink() {
        sink.taking(4);
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        letters(relay, List.of("a", "b", "c", "d", "e", "f"));
        sink.hold();
        replayAll("");
        run(relay);
        assertThat(sink.waiting()).hasSize(3);
        instances.database.record("g");
        relay.run(2);
        assertThat(sink.waiting()).extracting(waiting -> waiting.event().seq()).contains(7L);
    }

    @Test
    void anHeirGoesOnWhereTheOwnerWasKilled() {
        SteppedRelay killed = startWithLetters(20, s -> s.timeout(Duration.ofSeconds(5)));
        long replay = replayAll("max_in_flight = 1");
        instances.clock.advance(Duration.ofSeconds(1));
        killed.run(8);
        sink.hold();
        killed.run(3);
        killed.close();
        sink.answerAll();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay heir = instances.start("b", s -> s.lanes(2).timeout(Duration.ofSeconds(5)));
        run(heir);
        run(heir);
        assertThat(accounts(replay)).isEqualTo("FINISHED 20 = 20 delivered");
        assertThat(sink.received().size()).as("one was on its way").isEqualTo(41);
    }

    @Test
    void anOutageEndsNoItem() {
        SteppedRelay relay = startWithLetters(5, s -> s.whenUnavailable(WhenUnavailable.WAIT));
        sink.answering(event -> new Outcome.Unavailable("down"));
        long replay = replayAll("");
        run(relay);
        assertThat(accounts(replay)).isEqualTo("RUNNING 5 = 0 delivered, 5 PENDING");
        sink.answering(event -> Outcome.DELIVERED);
        instances.clock.advance(Duration.ofSeconds(5));
        relay.pass();
        run(relay);
        assertThat(accounts(replay)).isEqualTo("FINISHED 5 = 5 delivered");
        assertThat(sink.receivedSeqs()).endsWith(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void whatIsGoneOrDiscardedMeanwhileIsSkipped() {
        SteppedRelay relay = startWithLetters(3, s -> s);
        long replay = replayAll("");
        instances.database.execute("""
                DELETE FROM posthorn.dead_letter WHERE seq = 1;
                UPDATE posthorn.dead_letter SET discarded_at = posthorn.clock() WHERE seq = 2
                """);
        run(relay);
        assertThat(accounts(replay)).isEqualTo("FINISHED 3 = 1 delivered, 1 SKIPPED discarded, 1 SKIPPED gone");
    }

    @Test
    void aDeadLetterThatIsBeingReplayedCannotBeDiscarded() {
        SteppedRelay relay = startWithLetters(1, s -> s);
        sink.hold();
        replayAll("");
        run(relay);
        instances.database.execute("""
                INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, requested_by)
                SELECT 1, 'DISCARD', key, id, seq, 'ops' FROM posthorn.event
                """);
        run(relay);
        assertThat(instances.database.value("SELECT answer FROM posthorn.command"))
                .isEqualTo("nothing to do: the dead letter is being replayed");
    }

    @Test
    void whatWasDeliveredIsSentAgainFromTheLogAndIsNoDeadLetterIfItFails() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(2));
        List.of("x", "y", "x").forEach(instances.database::record);
        relay.run(5);
        bad.add(2L);
        long replay = replayHistory();
        run(relay);
        assertThat(sink.receivedSeqs()).hasSize(6);
        assertThat(letters()).isZero();
        assertThat(status(2)).isEqualTo("DELIVERED");
        assertThat(accounts(replay)).isEqualTo("FINISHED 3 = 2 delivered, 1 FAILED rejected");
        assertThat(instances.database.value(
                        "SELECT string_agg(number || outcome, ' ' ORDER BY seq) FROM posthorn.attempt"))
                .isEqualTo("2DELIVERED 2REJECT 2DELIVERED");
    }

    @Test
    void aChangeOfLanesMovesItsItems() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(2));
        letters(relay, keys(40));
        long replay = replayAll("rate_per_second = 10");
        instances.clock.advance(Duration.ofSeconds(1));
        relay.run(10);
        relay.serve(Subscription.to("test", sink).lanes(3).build());
        for (int i = 0; i < 30; i++) {
            relay.pass().run(5);
        }
        assertThat(accounts(replay)).isEqualTo("FINISHED 40 = 40 delivered");
        assertThat(sink.received()).hasSize(80);
    }

    @Test
    void itemsToADeletedSubscriptionAreSkipped() {
        SteppedRelay relay = startWithLetters(3, s -> s);
        relay.leave();
        long replay = replayAll("");
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        instances.subscriptions().delete("test", null, OPS);
        assertThat(accounts(replay)).isEqualTo("FINISHED 3 = 0 delivered, 3 SKIPPED subscription-deleted");
    }

    @Test
    void anItemThatEndsItsProcessAgainAndAgainIsGivenUp() {
        startWithLetters(2, s -> s.timeout(Duration.ofSeconds(5))).leave();
        long replay = replayAll("");
        sink.hold();
        for (int i = 0; i < 5; i++) {
            instances.clock.advance(Instances.TTL.plusSeconds(1));
            SteppedRelay relay = instances.start("a" + i, s -> s.lanes(2).timeout(Duration.ofSeconds(5)));
            instances.clock.advance(Duration.ofSeconds(1));
            relay.run(12);
            sink.waiting().stream()
                    .filter(each -> each.event().seq() != 1)
                    .forEach(each -> each.answer().with(Outcome.DELIVERED));
            relay.run(5);
            relay.close();
        }
        assertThat(accounts(replay)).isEqualTo("FINISHED 2 = 1 delivered, 1 FAILED unknown");
        assertThat(letters()).isEqualTo(1);
    }

    @Test
    void anItemWithARowCarriesTheReplaysIdToo() {
        startWithLetters(1, s -> s).leave();
        long replay = replayAll("");
        // What is left of an outage that an owner met while it counted attempts before they were made.
        instances.database.execute("""
                INSERT INTO posthorn.delivery
                       (lane_id, seq, event_id, key, state, attempts, due_at, dead_letter_id, replay_id)
                SELECT n.id, l.seq, l.event_id, l.key, 'WAITING', 1, posthorn.clock(), l.id, %d
                  FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id
                  JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
                  JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = g.number
                       AND n.index = posthorn.key_hash(l.key, l.event_id) %% g.lanes
                """.formatted(replay));
        run(instances.start("b", s -> s.lanes(2)));
        assertThat(sink.received()).hasSize(2);
        assertThat(sink.received().get(1).marks()).containsEntry("posthorn-replay", "" + replay);
        assertThat(accounts(replay)).isEqualTo("FINISHED 1 = 1 delivered");
    }

    @Test
    void retentionKeepsWhatIsStillToBeReadFromTheLog() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        instances.database.record("x");
        relay.run(5);
        replayHistory();
        instances.database.execute("""
                SELECT setval('posthorn.event_seq', (SELECT min(to_seq) FROM posthorn.event_partition));
                """);
        instances.database.record("x");
        relay.run(5);
        instances.database.execute("UPDATE posthorn.replay SET state = 'PAUSED'");
        RetentionKeeper keeper = keeper();
        keeper.pass();
        instances.database.record("x");
        relay.run(20);
        instances.clock.advance(Duration.ofDays(2));
        keeper.pass();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.event WHERE seq = 1"))
                .isEqualTo(1);
        instances.database.execute("UPDATE posthorn.replay_item SET state = 'SKIPPED', reason = 'cancelled',"
                + " ended_at = posthorn.clock()");
        keeper.pass();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.event WHERE seq = 1"))
                .isZero();
    }
}
