package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Guards;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What people ask of a lane, what its owner does about it, and what it answers. */
class CommandTest {

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final Set<Long> bad = new HashSet<>();
    private final Instances instances = new Instances(sink, Guards.ALL);

    CommandTest() {
        sink.answering(event -> bad.contains(event.seq()) ? new Outcome.Reject("bad") : Outcome.DELIVERED);
    }

    private SteppedRelay start(AfterDeadLetter afterDeadLetter) {
        return instances.start("a", s -> s.lanes(2).afterDeadLetter(afterDeadLetter));
    }

    @Test
    void aKeyThatIsHeldGoesOnAfterReleaseOrDiscard() {
        for (String kind : List.of("RELEASE", "DISCARD")) {
            Instances each = new Instances(RecordingSink.oneAtATime(), Guards.ALL);
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
    void anEventIsDeferredByCommandUnlessItIsTooLate() {
        SteppedRelay relay = start(AfterDeadLetter.CONTINUE);
        instances.database.record("x");
        relay.run(3);
        ask("DEFER", 1, "x");
        run(relay);
        assertThat(answers()).isEqualTo("too late: it was delivered, or the subscription does not want it");

        instances.subscriptions().pause("test");
        relay.pass();
        instances.database.record("x");
        instances.database.record("x");
        ask("DEFER", 2, "x");
        run(relay);
        instances.subscriptions().resume("test");
        relay.pass().run(5);
        assertThat(answers()).as("when it is read").endsWith("deferred");
        assertThat(sink.receivedSeqs()).containsExactly(1L, 3L);
        instances.clock.advance(Duration.ofSeconds(20));
        instances.clock.advance(Duration.ofSeconds(45));
        relay.pass();
        run(relay);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 3L, 2L);
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
