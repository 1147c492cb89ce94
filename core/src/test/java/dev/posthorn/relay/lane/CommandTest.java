package dev.posthorn.relay.lane;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.Outcome;
import dev.posthorn.status.EventSearch;
import dev.posthorn.status.FullEvent;
import dev.posthorn.status.Status;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What people ask of a lane, what its owner does about it, and what it answers. */
class CommandTest {

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final Set<Long> bad = new HashSet<>();
    private final Instances instances = new Instances(sink);

    CommandTest() {
        sink.answering(event -> bad.contains(event.seq()) ? new Outcome.Reject("bad") : Outcome.DELIVERED);
    }

    private SteppedRelay start(AfterDeadLetter afterDeadLetter) {
        return instances.start("a", s -> s.lanes(2).afterDeadLetter(afterDeadLetter));
    }

    @Test
    void aKeyThatIsHeldGoesOnAfterReleaseDiscardOrPurge() {
        for (String kind : List.of("RELEASE", "DISCARD", "PURGE")) {
            Instances each = new Instances(RecordingSink.oneAtATime());
            bad.clear();
            bad.add(1L);
            each.sink.answering(event -> bad.contains(event.seq()) ? new Outcome.Reject("bad") : Outcome.DELIVERED);
            SteppedRelay relay = each.start("a", s -> s.lanes(1).afterDeadLetter(AfterDeadLetter.HOLD));
            List.of("x", "x", "x").forEach(each.database::record);
            relay.run(5);
            assertThat(each.sink.receivedSeqs()).containsExactly(1L);
            bad.clear();
            ask(each, kind, 1, "x");
            run(each, relay);
            assertThat(each.sink.receivedSeqs()).as(kind).containsExactly(1L, 2L, 3L);
            assertThat(each.database.number("SELECT count(*) FROM posthorn.delivery"))
                    .isZero();
            assertThat(each.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                    .isEqualTo(1);
        }
    }

    @Test
    void aDiscardedDeadLetterSaysWhoAndWhyAndIsNotReleased() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        bad.add(1L);
        instances.database.record("x");
        relay.run(5);
        ask("DISCARD", 1, "x");
        run(relay);
        assertThat(instances.database.value("SELECT discarded_by || ' ' || discard_reason FROM posthorn.dead_letter"))
                .isEqualTo("ops because");
        ask("RELEASE", 1, "x");
        run(relay);
        assertThat(sink.receivedSeqs()).containsExactly(1L);
        assertThat(answers()).isEqualTo("discarded, nothing to do: the dead letter was discarded");
    }

    @Test
    void ofAPurgedDeadLetterNothingIsLeftButThatItWasGivenUp() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        bad.add(1L);
        instances.database.record("x");
        UUID id = UUID.fromString(instances.database.value("SELECT id FROM posthorn.event"));
        relay.run(5);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.attempt"))
                .isEqualTo(1);
        ask("PURGE", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("purged");
        assertThat(instances.database.value(
                        "SELECT concat_ws(' ', length(payload), headers, error_class, error_message,"
                                + " cause, discarded_by, discard_reason) FROM posthorn.dead_letter"))
                .isEqualTo("0 purged purged purged ops because");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.attempt"))
                .isZero();
        FullEvent event = search().get(id, null).orElseThrow();
        assertThat(event.overall()).as("and not delivered").hasValue(Status.DISCARDED);
        assertThat(event.event().event().payload()).as("the log has it").isNotEmpty();
        ask("DISCARD", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("purged, nothing to do: the dead letter was discarded");

        instances.database.execute("DELETE FROM posthorn.event");
        assertThat(search().get(id, null)).as("nor a payload that was another").isEmpty();
    }

    private EventSearch search() {
        return new EventSearch(instances.database.dataSource(), SchemaName.DEFAULT);
    }

    @Test
    void aDiscardedDeadLetterIsPurgedAndSaysWhoDiscardedIt() {
        SteppedRelay relay = start(AfterDeadLetter.HOLD);
        bad.add(1L);
        instances.database.record("x");
        relay.run(5);
        ask("DISCARD", 1, "x");
        run(relay);
        instances.database.execute("UPDATE posthorn.command SET requested_by = 'other'");
        instances.database.execute("UPDATE posthorn.dead_letter SET discarded_by = 'ann'");
        ask("PURGE", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("discarded, purged");
        assertThat(instances.database.value("SELECT discarded_by || ' ' || length(payload) FROM posthorn.dead_letter"))
                .isEqualTo("ann 0");
        instances.database.record("x");
        relay.run(5);
        assertThat(sink.receivedSeqs()).as("its key goes on").containsExactly(1L, 2L);
    }

    @Test
    void aDeadLetterThatIsBeingReplayedIsNotPurged() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        bad.add(1L);
        instances.database.record("x");
        relay.run(5);
        instances.database.execute("INSERT INTO posthorn.replay_item (replay_id, subscription_id, seq, event_id,"
                + " key_hash, state) SELECT 7, subscription_id, seq, event_id, 0, 'PENDING' FROM posthorn.dead_letter");
        ask("PURGE", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("nothing to do: the dead letter is being replayed");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter WHERE purged_at IS NULL"))
                .isEqualTo(1);
    }

    /** Without what is left of it, its next owner would find an event that nobody has tried yet. */
    @Test
    void aPurgedEventIsNotSentByANewOwnerThatReadsItAgain() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        bad.add(2L);
        sink.hold();
        instances.database.record("x");
        relay.run(3);
        instances.database.record("y");
        relay.run(3);
        sink.waiting().stream()
                .filter(each -> each.event().seq() == 2)
                .forEach(each -> each.answer().with(new Outcome.Reject("bad")));
        relay.run(5);
        ask("PURGE", 2, "y");
        run(relay);
        assertThat(answers()).isEqualTo("purged");
        assertThat(instances.database.value("SELECT string_agg(status, ' ' ORDER BY seq) FROM posthorn.event_status"))
                .isEqualTo("SENDING DISCARDED");

        bad.clear();
        sink.answerAll();
        int before = sink.receivedSeqs().size();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay heir = instances.start("b", s -> s.lanes(1));
        heir.run(10);
        assertThat(sink.receivedSeqs().subList(before, sink.receivedSeqs().size()))
                .containsExactly(1L);
        assertThat(instances.database.value("SELECT string_agg(status, ' ' ORDER BY seq) FROM posthorn.event_status"))
                .isEqualTo("DELIVERED DISCARDED");
    }

    @Test
    void anEventIsDeferredByCommandUnlessItIsTooLate() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        instances.database.record("x");
        relay.run(3);
        ask("DEFER", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("too late: it was delivered, or the subscription does not want it");

        instances.subscriptions().pause("test", null, OPS);
        relay.pass();
        instances.database.record("x");
        instances.database.record("x");
        ask("DEFER", 2, "x");
        run(relay);
        instances.subscriptions().resume("test", null, OPS);
        relay.pass().run(5);
        assertThat(answers()).as("when it is read").endsWith("deferred");
        assertThat(sink.receivedSeqs()).containsExactly(1L, 3L);
        instances.clock.advance(Duration.ofSeconds(20));
        instances.clock.advance(Duration.ofSeconds(45));
        relay.pass();
        run(relay);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 3L, 2L);
    }

    /** A hundred of them were all that the lane ever looked at, and one was enough for those about its key. */
    @Test
    void whatWaitsToBeDeferredKeepsNoOtherCommandWaiting() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        bad.add(1L);
        instances.database.record("x");
        relay.run(3);
        instances.subscriptions().pause("test", null, OPS);
        relay.pass();
        for (int seq = 2; seq <= 122; seq++) {
            instances.database.record("x");
            ask("DEFER", seq, "x");
        }
        ask("DISCARD", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("discarded");
    }

    @Test
    void twoThatDeferOneUnreadEventAreDoneInTheirOrder() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        instances.subscriptions().pause("test", null, OPS);
        relay.pass();
        instances.database.record("x");
        ask("DEFER", 1, "x");
        ask("DEFER", 1, "x");
        run(relay);
        instances.subscriptions().resume("test", null, OPS);
        relay.pass().run(5);
        run(relay);
        assertThat(answers()).isEqualTo("deferred, deferred");
        assertThat(sink.receivedSeqs()).isEmpty();
    }

    @Test
    void anEventInTheLanesHandsIsDeferredBehindTheOneThatIsOnItsWay() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        sink.hold();
        List.of("x", "x", "x").forEach(instances.database::record);
        relay.run(2);
        ask("DEFER", 2, "x");
        ask("DEFER", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("deferred, too late: it is being sent");
        sink.answerAll();
        relay.run(5);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 3L);
    }

    @Test
    void commandsGoToTheLaneOfTheirKey() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(4));
        bad.addAll(List.of(1L, 2L, 3L, 4L, 5L, 6L));
        for (int i = 1; i <= 6; i++) {
            instances.database.record("k" + i);
        }
        relay.run(5);
        bad.clear();
        for (int i = 1; i <= 6; i++) {
            ask("DISCARD", i, "k" + i);
        }
        run(relay);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter WHERE discarded_at IS NULL"))
                .isZero();
    }

    private void ask(String kind, long seq, String key) {
        ask(instances, kind, seq, key);
    }

    private static void ask(Instances instances, String kind, long seq, String key) {
        instances.database.execute(
                """
                INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, due_at, requested_by, reason)
                SELECT 1, '%s', '%s', id, seq, %s, 'ops', 'because' FROM posthorn.event WHERE seq = %d
                """.formatted(kind, key, kind.equals("DEFER") ? "posthorn.clock() + interval '60 s'" : "NULL", seq));
    }

    private void run(SteppedRelay relay) {
        run(instances, relay);
    }

    /** Longer than a lane takes to look at its commands. */
    private static void run(Instances instances, SteppedRelay relay) {
        instances.clock.advance(Duration.ofSeconds(1));
        relay.run(20);
    }

    private String answers() {
        return instances.database.value("SELECT string_agg(answer, ', ' ORDER BY id) FROM posthorn.command");
    }
}
