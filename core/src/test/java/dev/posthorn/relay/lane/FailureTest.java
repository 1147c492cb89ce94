package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.KeepAttempts;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.WhenUnavailable;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of events that fail, a step at a time. */
@Tag("slow")
class FailureTest {

    private static final RetryPolicy THREE =
            RetryPolicy.of(3, Duration.ofSeconds(10), Duration.ofSeconds(60)).jitter(0);

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final List<String> heard = new ArrayList<>();

    private Instances instances() {
        return new Instances(sink);
    }

    private SteppedRelay start(Instances instances, String name) {
        return instances.start(name, s -> s.lanes(1).retry(THREE));
    }

    private void failing(String key, Outcome outcome) {
        sink.answering(event -> key.equals(event.event().key()) ? outcome : Outcome.DELIVERED);
    }

    @Test
    void aFailedEventIsSentAgainAfterItsDelaysAndThenIsADeadLetter() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        failing("bad", new Outcome.Retry(ErrorClass.SERVER_ERROR, "status 503 at 10:15"));
        instances.database.record("bad");
        relay.run(3);
        assertThat(sink.receivedSeqs()).containsExactly(1L);
        assertThat(instances.database.value("SELECT state || ' ' || attempts || ' ' || error_class || ' '"
                        + " || extract(epoch FROM due_at - failed_at)::int FROM posthorn.delivery"))
                .isEqualTo("WAITING 1 server-error 10");
        wait(instances, relay, 9);
        assertThat(sink.receivedSeqs()).hasSize(1);
        wait(instances, relay, 1);
        assertThat(sink.receivedSeqs()).hasSize(2);
        wait(instances, relay, 55);
        assertThat(sink.receivedSeqs()).hasSize(2);
        wait(instances, relay, 6);
        assertThat(sink.receivedSeqs()).hasSize(3);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        assertThat(instances.database.value(
                        "SELECT (event_id = (SELECT id FROM posthorn.event) AND payload = (SELECT payload FROM"
                                + " posthorn.event)) || ' ' || attempts || error_class || error_message || cause"
                                + " FROM posthorn.dead_letter"))
                .isEqualTo("true 3server-errorstatus 503 at 10:15status # at #:#");
        assertThat(instances.database.value(
                        "SELECT string_agg(number || ' ' || outcome || ' ' || instance, ', ' ORDER BY number)"
                                + " FROM posthorn.attempt"))
                .isEqualTo("1 RETRY a, 2 RETRY a, 3 RETRY a");
        wait(instances, relay, 100);
        assertThat(sink.receivedSeqs()).as("never again by itself").hasSize(3);
    }

    @Test
    void theSinkIsToldWhichAttemptItIs() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        sink.hold();
        instances.database.record("k");
        relay.run(2);
        assertThat(sink.waiting())
                .singleElement()
                .satisfies(sent -> assertThat(sent.attempt()).isEqualTo(1));
        failing("k", new Outcome.Retry("not yet"));
        sink.answerAll();
        sink.hold();
        wait(instances, relay, 12);
        assertThat(sink.waiting())
                .singleElement()
                .satisfies(sent -> assertThat(sent.attempt()).isEqualTo(2));
    }

    @Test
    void whatTheReceiverSaidIsKeptWithTheAttempt() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        failing("bad", new Outcome.Reject(ErrorClass.INVALID, "status 422", new Reply(422, "no \0 such field")));
        instances.database.record("bad");
        relay.run(3);
        assertThat(instances.database.value("SELECT reply_code || ' ' || reply FROM posthorn.attempt"))
                .isEqualTo("422 no \uFFFD such field");
    }

    @Test
    void everyDeliveryIsKeptAsAnAttemptOnlyIfAsked() {
        for (KeepAttempts keep : KeepAttempts.values()) {
            Instances instances = new Instances(RecordingSink.oneAtATime());
            SteppedRelay relay = instances.start("a", s -> s.lanes(1).keepAttempts(keep));
            instances.database.record("x");
            relay.run(3);
            assertThat(instances.database.number("SELECT count(*) FROM posthorn.attempt WHERE outcome = 'DELIVERED'"))
                    .as("with " + keep)
                    .isEqualTo(keep == KeepAttempts.ALL ? 1 : 0);
        }
    }

    @Test
    void withUnlimitedAttemptsAnEventIsNeverADeadLetter() {
        Instances instances = instances();
        SteppedRelay relay = instances.start(
                "a", s -> s.lanes(1).retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofSeconds(1))));
        failing("bad", new Outcome.Retry("not yet"));
        instances.database.record("bad");
        wait(instances, relay, 30);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isZero();
        assertThat(instances.database.number("SELECT attempts FROM posthorn.delivery"))
                .isGreaterThan(5);
        sink.answering(event -> Outcome.DELIVERED);
        wait(instances, relay, 6);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
    }

    @Test
    void aReceiversWishWhenToBeAskedAgainIsHeardWithinBounds() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        failing("slow", new Outcome.Retry(ErrorClass.THROTTLED, "later", Duration.ofDays(7), null));
        instances.database.record("slow");
        relay.run(3);
        assertThat(instances.database.number(
                        "SELECT extract(epoch FROM due_at - failed_at)::int FROM posthorn.delivery"))
                .isEqualTo(3600);
    }

    @Test
    void laterEventsOfAFailedKeyAreHeldInOrderAndOtherKeysGoOn() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "a");
        List<String> failures = new ArrayList<>(List.of("once"));
        instances.sink.answering(event -> "x".equals(event.event().key()) && !failures.isEmpty()
                ? new Outcome.Retry(failures.remove(0))
                : Outcome.DELIVERED);
        List.of("x", "x", "y", "x").forEach(instances.database::record);
        relay.run(3);
        instances.database.record("x");
        instances.database.record("z");
        relay.run(3);
        assertThat(instances.keys()).containsExactly("x", "y", "z");
        assertThat(instances.database.value(
                        "SELECT string_agg(seq || state, ' ' ORDER BY place)" + " FROM posthorn.delivery"))
                .isEqualTo("1WAITING 2HELD 4HELD 5HELD");
        wait(instances, relay, 13);
        assertThat(instances.sink.receivedSeqs()).containsExactly(1L, 3L, 6L, 1L, 2L, 4L, 5L);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        instances.database.record("x");
        relay.run(3);
        assertThat(instances.sink.receivedSeqs()).endsWith(7L);
    }

    @Test
    void heldEventsFollowTheirHeadThroughASinkThatKeepsTheOrder() {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay relay = start(instances, "a");
        List<String> failures = new ArrayList<>(List.of("once", "twice"));
        instances.sink.answering(event -> "x".equals(event.event().key()) && !failures.isEmpty()
                ? new Outcome.Retry(failures.remove(0))
                : Outcome.DELIVERED);
        IntStream.range(0, 600).forEach(i -> instances.database.record(i % 2 == 0 ? "x" : "y"));
        relay.run(10);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery WHERE state = 'HELD'"))
                .isEqualTo(299);
        wait(instances, relay, 11);
        wait(instances, relay, 61);
        assertOrder(instances, "x", 300);
        assertOrder(instances, "y", 300);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
    }

    @Test
    void whoeverTakesOverKnowsWhatIsHeldAndWhatHasARow() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay crashing = start(instances, "crashing");
        instances.sink.answering(event -> new Outcome.Retry("not yet"));
        instances.sink.hold();
        instances.database.record("stuck");
        instances.database.record("x");
        instances.database.record("x");
        instances.database.record("poison");
        crashing.run(2);
        // The mark stands before "stuck", which has no answer; rows and dead letter are beyond it.
        instances.sink.waiting().get(1).answer().with(new Outcome.Retry("not yet"));
        instances.sink.waiting().get(2).answer().with(new Outcome.Reject("poisoned"));
        crashing.run(2);
        crashing.close();
        assertThat(instances.database.value(
                        "SELECT string_agg(seq || state, ' ' ORDER BY place)" + " FROM posthorn.delivery"))
                .isEqualTo("2WAITING 3HELD");
        instances.sink.answering(event -> Outcome.DELIVERED);
        instances.sink.answerAll();
        SteppedRelay next = takeOver(instances);
        instances.database.record("x");
        wait(instances, next, 20);
        assertThat(instances.sink.receivedSeqs()).containsExactly(1L, 2L, 4L, 2L, 1L, 3L, 5L);
    }

    @Test
    void aRejectedEventIsADeadLetterAtOnceAndItsKeyGoesOn() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        sink.answering(event ->
                event.seq() == 2 ? new Outcome.Reject(ErrorClass.INVALID, "no such product") : Outcome.DELIVERED);
        IntStream.range(0, 4).forEach(i -> instances.database.record("x"));
        relay.run(5);
        assertThat(sink.receivedSeqs()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(instances.database.value("SELECT seq || error_class || attempts FROM posthorn.dead_letter"))
                .isEqualTo("2invalid1");
    }

    @Test
    void aDeadLetterCanHoldItsKey() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(THREE).afterDeadLetter(AfterDeadLetter.HOLD));
        sink.answering(event -> event.seq() == 1 ? new Outcome.Reject("bad") : Outcome.DELIVERED);
        List.of("x", "x", "y", "x").forEach(instances.database::record);
        relay.run(5);
        assertThat(instances.keys()).containsExactly("x", "y");
        relay.close();
        SteppedRelay next = takeOver(instances);
        instances.database.record("x");
        next.run(5);
        assertThat(instances.keys()).as("after a take-over too").containsExactly("x", "y");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery WHERE state = 'HELD'"))
                .isEqualTo(3);
    }

    @Test
    void anOutageUsesUpNoAttemptIfTheSubscriptionWaits() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(THREE).whenUnavailable(WhenUnavailable.WAIT));
        sink.answering(event -> new Outcome.Unavailable("connection refused"));
        IntStream.range(0, 50).forEach(i -> instances.database.record("k" + i));
        relay.run(3);
        wait(instances, relay, 600);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isZero();
        assertThat(instances.database.value("SELECT breaker_reason FROM posthorn.lane_gauge"))
                .isEqualTo("connection refused");
        int before = sink.received().size();
        assertThat(before).as("a probe every four seconds").isBetween(180, 220);
        sink.answering(event -> Outcome.DELIVERED);
        wait(instances, relay, 6);
        assertThat(sink.received()).hasSize(before + 50);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.lane_gauge WHERE breaker_since IS NULL"))
                .isOne();
    }

    @Test
    void anOutageThatCountsExhaustsOneEventAtATime() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        sink.answering(event -> new Outcome.Unavailable("connection refused"));
        IntStream.range(0, 50).forEach(i -> instances.database.record("k" + i));
        relay.run(3);
        wait(instances, relay, 60);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isZero();
        wait(instances, relay, 22);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isOne();
        wait(instances, relay, 90);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isEqualTo(2);
        sink.answering(event -> Outcome.DELIVERED);
        wait(instances, relay, 70);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isEqualTo(2);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
    }

    @Test
    void aDeferredEventComesInItsTimeWithoutBlockingItsKey() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        instances.recordDeferred("x", Duration.ofSeconds(30));
        instances.database.record("x");
        instances.recordDeferred("x", Duration.ofSeconds(-30));
        relay.run(3);
        assertThat(sink.receivedSeqs()).containsExactly(2L, 3L);
        wait(instances, relay, 28);
        assertThat(sink.receivedSeqs()).containsExactly(2L, 3L);
        wait(instances, relay, 2);
        assertThat(sink.receivedSeqs()).containsExactly(2L, 3L, 1L);
    }

    @Test
    void aDeferredEventWhoseKeyIsBlockedJoinsTheEndOfIt() {
        Instances instances = instances();
        SteppedRelay relay = start(instances, "a");
        sink.answering(event -> event.seq() == 2 ? new Outcome.Retry("not yet") : Outcome.DELIVERED);
        instances.recordDeferred("x", Duration.ofSeconds(5));
        instances.database.record("x");
        instances.database.record("x");
        relay.run(3);
        wait(instances, relay, 6);
        assertThat(sink.receivedSeqs()).containsExactly(2L);
        sink.answering(event -> Outcome.DELIVERED);
        wait(instances, relay, 6);
        assertThat(sink.receivedSeqs()).containsExactly(2L, 2L, 3L, 1L);
    }

    @Test
    void whatIsLetGoBecomesDeadLettersThoughTheReceiverIsAway() {
        Instances instances = instances();
        SteppedRelay relay =
                instances.start("a", s -> s.lanes(1).inFlightLimit(20).whenUnavailable(WhenUnavailable.WAIT));
        sink.answering(event -> new Outcome.Unavailable("away"));
        IntStream.range(0, 100).forEach(i -> instances.database.record("k" + i % 7));
        relay.run(3);
        instances.database.execute("UPDATE posthorn.subscription SET let_go_seq = 51");
        relay.pass().run(20);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter WHERE seq <= 50"))
                .isEqualTo(50);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isEqualTo(50);
        assertThat(instances.database.number("SELECT seq FROM posthorn.lane_mark"))
                .isGreaterThanOrEqualTo(50);
        sink.answering(event -> Outcome.DELIVERED);
        wait(instances, relay, 15);
        assertThat(sink.receivedSeqs()).contains(51L, 100L);
    }

    @Test
    void anEventThatEndsTheProcessUsesUpItsAttemptsLikeAnyOther() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        instances.sink.answering(event -> {
            if (event.seq() == 3) {
                throw new ThreadDeath();
            }
            return Outcome.DELIVERED;
        });
        IntStream.range(0, 6).forEach(i -> instances.database.record("k" + i));
        for (int crash = 0; crash < 10; crash++) {
            SteppedRelay relay = instances.start(
                    "life-" + crash, s -> s.lanes(1).fromBeginning().retry(THREE));
            try {
                wait(instances, relay, 70);
                relay.leave();
            } catch (ThreadDeath ended) {
                relay.close();
                instances.clock.advance(Instances.TTL.plusSeconds(1));
            }
        }
        List<Long> sent = instances.sink.receivedSeqs();
        assertThat(sent.stream().filter(seq -> seq == 3).count()).isLessThanOrEqualTo(3);
        assertThat(sent).contains(1L, 2L, 4L, 5L, 6L);
        assertThat(instances.database.value("SELECT seq || error_class FROM posthorn.dead_letter"))
                .isEqualTo("3unknown");
    }

    @Test
    void theListenerHearsWhatHappens() {
        Instances instances = instances();
        instances.listener(new RelayListener() {
            @Override
            public void delivered(String subscription, String lane, int events) {
                heard.add("delivered " + events + " by " + lane);
            }

            @Override
            public void retried(
                    String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, Duration delay) {
                heard.add("retried " + event.seq() + " in " + delay.toSeconds());
                throw new IllegalStateException("a listener's own trouble");
            }

            @Override
            public void deadLettered(
                    String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, boolean holds) {
                heard.add("dead " + event.seq());
            }

            @Override
            public void breakerOpened(String subscription, String lane, String reason) {
                heard.add("opened: " + reason);
            }

            @Override
            public void breakerClosed(String subscription, String lane) {
                heard.add("closed");
            }
        });
        SteppedRelay relay = start(instances, "a");
        List<Outcome> answers = new ArrayList<>(List.of(
                new Outcome.Retry("r"), new Outcome.Reject("j"), Outcome.DELIVERED, new Outcome.Unavailable("u")));
        sink.answering(event -> answers.isEmpty() ? Outcome.DELIVERED : answers.remove(0));
        IntStream.range(0, 4).forEach(i -> instances.database.record("k" + i));
        relay.run(5);
        wait(instances, relay, 12);
        assertThat(heard)
                .contains("retried 1 in 10", "dead 2", "opened: u", "closed")
                .anyMatch(each -> each.startsWith("delivered"));
    }

    private static void assertOrder(Instances instances, String key, int count) {
        List<Long> seqs = instances.sink.received().stream()
                .filter(event -> key.equals(event.event().key()))
                .map(RecordedEvent::seq)
                .distinct()
                .toList();
        assertThat(seqs).hasSize(count).isSorted();
    }

    private static SteppedRelay takeOver(Instances instances) {
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        return instances.start("next", s -> s.lanes(1).retry(THREE).afterDeadLetter(AfterDeadLetter.HOLD));
    }

    /** That many seconds, with the leases renewed. */
    private static void wait(Instances instances, SteppedRelay relay, int seconds) {
        for (int i = 0; i < seconds; i++) {
            relay.pass().run(2);
            instances.clock.advance(Duration.ofMillis(800));
        }
        relay.run(1);
    }
}
