package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one lane does, a step at a time. */
class LaneTest {

    @Test
    void oneEventOfAKeyIsOnItsWayAtATimeWhileOtherKeysGoOn() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", 1);
        instances.sink.hold();
        for (String key : List.of("x1", "y1", "x1", "y1", "z1")) {
            instances.database.record(key);
        }
        relay.run(2);
        assertThat(instances.keys()).containsExactly("x1", "y1", "z1");
        instances.sink.waiting().get(0).answer().with(Outcome.DELIVERED);
        relay.run(2);
        assertThat(instances.keys()).containsExactly("x1", "y1", "z1", "x1");
    }

    @Test
    void aSinkIsHandedNoMoreThanItTakesAtATime() {
        Instances instances = new Instances(RecordingSink.oneAtATime().taking(5));
        SteppedRelay relay = instances.start("a", 2);
        instances.sink.hold();
        IntStream.range(0, 40).forEach(i -> instances.database.record("k" + i));
        relay.run(3);
        assertThat(instances.sink.waiting()).hasSizeBetween(2, 5);
        instances.sink.waiting().get(0).answer().with(Outcome.DELIVERED);
        relay.run(3);
        assertThat(instances.keys()).as("one more for the one that arrived").hasSizeBetween(3, 6);
        instances.sink.answerAll();
        relay.run(50);
        assertThat(instances.keys()).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void eventsWithoutAKeyDoNotWaitForEachOther() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", 1);
        instances.sink.hold();
        IntStream.range(0, 5).forEach(i -> instances.database.record((String) null));
        relay.run(2);
        assertThat(instances.sink.waiting()).hasSize(5);
    }

    @Test
    void aSinkThatKeepsTheOrderGetsAKeysEventsAtOnce() {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay relay = instances.start("a", 1);
        instances.sink.hold();
        IntStream.range(0, 5).forEach(i -> instances.database.record("same"));
        relay.run(2);
        assertThat(instances.sink.waiting()).hasSize(5);
    }

    @Test
    void theMarkNeverPassesAnUndeliveredEvent() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay crashing = instances.start("a", 1);
        instances.keepApart();
        instances.sink.hold();
        instances.database.record("stuck");
        instances.database.record("done");
        crashing.run(2);
        instances.sink.waiting().get(1).answer().with(Outcome.DELIVERED);
        crashing.run(3);
        crashing.close();
        instances.sink.answerAll();
        takeOver(instances, 1).run(3);
        assertThat(instances.keys()).containsExactly("stuck", "done", "stuck", "done");
    }

    @Test
    void whatIsReadBeyondThePersistedMarkIsBounded() throws Exception {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay crashing = instances.start("a", s -> s.lanes(1).inFlightLimit(20));
        instances.sink.hold();
        IntStream.range(0, 60).forEach(i -> instances.database.record("k" + i));
        crashing.run(2);
        assertThat(instances.sink.received()).hasSize(20);
        crashing.run(1);
        instances.sink.waiting().stream().limit(9).forEach(w -> w.answer().with(Outcome.DELIVERED));
        for (int i = 0; i < 3; i++) {
            instances.clock.advance(Duration.ofMillis(2));
            crashing.step();
        }
        crashing.close();
        int before = instances.sink.received().size();
        instances.sink.answerAll();
        SteppedRelay heir = takeOver(instances, 1);
        heir.run(20);
        assertThat(before + 60 - instances.sink.received().size())
                .as("events not sent again")
                .isZero();
        assertThat(before).as("duplicates a crash can cause").isLessThanOrEqualTo(20);
    }

    @Test
    void aLargeEventIsNotReadBeyondTheBytesAllowed() {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).inFlightBytes(3_000));
        instances.sink.hold();
        IntStream.range(0, 20)
                .forEach(i -> instances.database.record(dev.posthorn.event.Event.builder()
                        .source("test")
                        .type("large")
                        .payload(new byte[1_000])
                        .build()));
        relay.run(5);
        assertThat(instances.sink.waiting()).hasSizeBetween(2, 4);
    }

    @Test
    void anUnavailableSinkIsTriedAgainFromTheFirstUnansweredEvent() {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay relay = instances.start("a", 1);
        List<String> away = new ArrayList<>(List.of("once"));
        instances.sink.answering(event -> "2".equals(event.event().key()) && !away.isEmpty()
                ? new Outcome.Unavailable(away.remove(0))
                : Outcome.DELIVERED);
        List.of("1", "2", "3").forEach(instances.database::record);
        relay.run(3);
        assertThat(instances.keys()).containsExactly("1", "2");
        relay.run(15);
        assertThat(instances.keys()).containsExactly("1", "2", "2", "3");
        assertThat(instances.sink.opened()).isEqualTo(2);
        assertThat(relay.lanes().get(0).counters().overtaken()).isZero();
    }

    @Test
    void aFailedEventOfASinkThatTakesOneAtATimeComesAgainBeforeTheNextOfItsKey() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(RetryPolicy.of(5, Duration.ofSeconds(1))));
        List<String> failures = new ArrayList<>(List.of("first", "second"));
        instances.sink.answering(
                event -> failures.isEmpty() ? Outcome.DELIVERED : new Outcome.Retry(failures.remove(0)));
        instances.database.record("x");
        instances.database.record("x");
        relay.run(50);
        assertThat(instances.sink.receivedSeqs()).containsExactly(1L, 1L, 1L, 2L);
    }

    @Test
    void aSinkThatDoesNotAnswerInTimeIsGivenUpAndTriedAgain() {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay relay = instances.start("a", 1);
        instances.sink.hold();
        instances.database.record("x");
        relay.run(2);
        instances.clock.advance(Duration.ofSeconds(11));
        relay.pass().step();
        instances.sink.answerAll();
        assertThat(instances.sink.opened()).isEqualTo(1);
        relay.run(15);
        assertThat(instances.sink.receivedSeqs()).containsExactly(1L, 1L);
        assertThat(instances.sink.opened()).isEqualTo(2);
    }

    @Test
    void aPipelinedSinkThatKeepsAnsweringIsNotGivenUp() {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay relay = instances.start("a", 1);
        hand(relay, instances, 3);
        for (int i = 0; i < 2; i++) {
            instances.clock.advance(Duration.ofSeconds(6));
            instances.sink.waiting().get(i).answer().with(Outcome.DELIVERED);
            relay.pass().step();
        }
        assertThat(instances.sink.waiting()).as("the channel is still open").hasSize(3);
    }

    @Test
    void aChannelIsClosedWhenTheLeaseIsNotRenewed() throws Exception {
        Instances instances = new Instances(RecordingSink.pipelined());
        SteppedRelay relay = instances.start("a", 1);
        hand(relay, instances, 8);
        for (int i = 0; i < 5; i++) {
            instances.clock.advance(Duration.ofSeconds(6));
            instances.sink.waiting().get(i).answer().with(Outcome.DELIVERED);
            relay.step();
        }
        assertThat(instances.sink.waiting()).as("of an open channel").isEmpty();
    }

    /** Leaves so many events unanswered. */
    private static void hand(SteppedRelay relay, Instances instances, int count) {
        instances.sink.hold();
        IntStream.range(0, count).forEach(i -> instances.database.record("same"));
        relay.run(2);
        assertThat(instances.sink.waiting()).hasSize(count);
    }

    @Test
    void aSinkThatThrowsIsTriedAgain() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(RetryPolicy.of(5, Duration.ofSeconds(1))));
        List<RuntimeException> bugs = new ArrayList<>(List.of(new IllegalStateException("a bug in the sink")));
        instances.sink.answering(event -> {
            if (!bugs.isEmpty()) {
                throw bugs.remove(0);
            }
            return Outcome.DELIVERED;
        });
        instances.database.record("x");
        relay.run(20);
        assertThat(instances.sink.receivedSeqs()).containsExactly(1L, 1L);
    }

    @Test
    void nothingIsSentThatCouldOutliveTheLease() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", 1);
        instances.clock.advance(Duration.ofSeconds(20));
        instances.database.record("x");
        relay.run(2);
        assertThat(instances.keys()).isEmpty();
        relay.pass().run(2);
        assertThat(instances.keys()).containsExactly("x");
    }

    @Test
    void theMarkIsFoundWhereverItsRowWasMovedTo() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", 1);
        instances.database.record("x");
        relay.run(3);
        instances.database.execute("VACUUM FULL posthorn.lane_mark");
        instances.database.execute("UPDATE posthorn.lane_mark SET epoch = epoch");
        instances.database.record("y");
        relay.run(3);
        assertThat(relay.lanes().get(0).state()).isEqualTo(Lane.State.RUNNING);
        assertThat(instances.keys()).containsExactly("x", "y");
    }

    @Test
    void anIdleLaneMovesItsMarkAboutOnceASecond() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", 1);
        instances.keepApart();
        assertThatItMovesOnceASecond(instances, relay, "posthorn.lane_mark");
    }

    @Test
    void theFrontOfIdleLanesMovesAboutOnceASecond() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", 1);
        relay.run(2);
        assertThatItMovesOnceASecond(instances, relay, "posthorn.front");
        assertThat(instances.database.value("SELECT front FROM posthorn.lane_mark"))
                .as("which says how far the lane is")
                .isEqualTo(instances.database.value("SELECT id FROM posthorn.front"));
    }

    private static void assertThatItMovesOnceASecond(Instances instances, SteppedRelay relay, String table) {
        String before = instances.database.value("SELECT a FROM " + table);
        instances.database.execute("CREATE TABLE other AS SELECT 1");
        relay.run(20);
        assertThat(instances.database.value("SELECT a FROM " + table)).isNotEqualTo(before);
        Set<String> updates = new HashSet<>();
        for (int tenths = 0; tenths < 30; tenths++) {
            updates.add(instances.database.value("SELECT xmin FROM " + table));
            relay.run(1);
        }
        assertThat(updates).hasSizeBetween(2, 4);
    }

    private static SteppedRelay takeOver(Instances instances, int lanes) {
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        return instances.start("heir", lanes);
    }
}
