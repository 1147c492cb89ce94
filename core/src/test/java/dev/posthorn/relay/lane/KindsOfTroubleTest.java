package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A receiver that does not answer, one that refuses some keys, and one that refuses everything, a step at a time. */
@Tag("slow")
class KindsOfTroubleTest {

    private static final Outcome FAILED = new Outcome.Retry(ErrorClass.SERVER_ERROR, "status 500");

    private final RecordingSink sink = RecordingSink.oneAtATime().taking(64);
    private final Instances instances = new Instances(sink);
    private final Map<String, Instant> arrivals = new HashMap<>();

    private final List<String> heard = new ArrayList<>();
    private final RelayListener told = new RelayListener() {
        @Override
        public void breakerOpened(String subscription, String lane, String reason) {
            heard.add("opened: " + reason);
        }

        @Override
        public void breakerClosed(String subscription, String lane) {
            heard.add("closed");
        }

        @Override
        public void denialBegan(String subscription, String lane, String reason) {
            heard.add("denied: " + reason);
        }

        @Override
        public void denialEnded(String subscription, String lane) {
            heard.add("over");
        }
    };

    private static List<String> keys(int count, IntFunction<String> name) {
        return IntStream.range(0, count).mapToObj(name).toList();
    }

    private static boolean isBad(RecordedEvent event) {
        return String.valueOf(event.event().key()).startsWith("bad");
    }

    private void failingKeysOnly() {
        sink.answering(event -> isBad(event) ? FAILED : arrive(event));
    }

    private Outcome arrive(RecordedEvent event) {
        arrivals.putIfAbsent(String.valueOf(event.event().key()), instances.clock.instant());
        return Outcome.DELIVERED;
    }

    private long deadLetters() {
        return instances.database.number("SELECT count(*) FROM posthorn.dead_letter");
    }

    @Test
    void failingKeysInFrontDelayNoOthers() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(2));
        failingKeysOnly();
        instances.database.recordAll(keys(200, i -> "bad" + i));
        relay.run(3);
        Map<String, Instant> recorded = new HashMap<>();
        for (int i = 0; i < 120; i++) {
            instances.database.record("good" + i);
            recorded.put("good" + i, instances.clock.instant());
            relay.pass().run(5);
        }
        relay.run(5);
        List<Duration> delays = new ArrayList<>();
        recorded.forEach((key, at) -> {
            assertThat(arrivals).containsKey(key);
            delays.add(Duration.between(at, arrivals.get(key)));
        });
        delays.sort(null);
        assertThat(delays.get(delays.size() * 99 / 100)).isLessThanOrEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void whenEverythingFailsForFifteenMinutesNextToNothingIsADeadLetterAndAllIsDeliveredAfterwards() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(2).inFlightLimit(4000));
        sink.answering(event -> FAILED);
        for (int i = 0; i < 900; i++) {
            int second = i;
            instances.database.recordAll(keys(100, n -> "k" + (second * 100 + n) % 30_000));
            instances.clock.advance(Duration.ofMillis(800));
            relay.pass().run(2);
        }
        assertThat(deadLetters()).isLessThanOrEqualTo(5);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery WHERE attempts > 1"))
                .as("only one uses up its attempts")
                .isLessThanOrEqualTo(1);
        long before = deadLetters();
        List<RecordedEvent> delivered = new ArrayList<>();
        Instant back = instances.clock.instant();
        sink.answering(event -> {
            delivered.add(event);
            return arrive(event);
        });
        relay.run(50);
        assertThat(arrivals.values()).anyMatch(at -> !at.isAfter(back.plusSeconds(5)));
        for (int i = 0; i < 2000 && delivered.size() < 90_000 - before; i++) {
            relay.pass().run(5);
        }
        assertThat(delivered).hasSize(90_000 - (int) before);
        assertThat(deadLetters()).isEqualTo(before);
        Map<String, Long> last = new HashMap<>();
        for (RecordedEvent event : delivered) {
            Long earlier = last.put(String.valueOf(event.event().key()), event.seq());
            assertThat(earlier == null || earlier < event.seq())
                    .as("order of its key")
                    .isTrue();
        }
    }

    @Test
    void aReceiverThatAsksEverybodyToWaitIsSparedAndNeverLeftAlone() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        int[] asked = {0};
        Outcome overrun = new Outcome.Retry(ErrorClass.THROTTLED, "status 429", Duration.ofSeconds(60), null);
        sink.answering(event -> {
            asked[0]++;
            return overrun;
        });
        instances.database.recordAll(keys(500, i -> "k" + i));
        relay.run(20);
        for (int i = 0; i < 10; i++) {
            int before = asked[0];
            instances.clock.advance(Duration.ofSeconds(1));
            relay.pass().run(5);
            assertThat(asked[0] - before).as("asked in a second").isBetween(1, 3);
        }
        sink.answering(this::arrive);
        for (int i = 0; i < 100 && arrivals.size() < 500; i++) {
            instances.clock.advance(Duration.ofSeconds(1));
            relay.pass().run(5);
        }
        assertThat(arrivals).hasSize(500);
    }

    /** An operator looks for a backlog among what is pending; the alert does too. */
    @Test
    void whatWasTriedInVainIsPendingAndNotOnItsWay() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        sink.answering(event -> FAILED);
        instances.database.recordAll(keys(40, i -> "k" + i));
        for (int i = 0; i < 10; i++) {
            relay.pass().run(5);
        }
        assertThat(statuses("PENDING")).isEqualTo(40 - deadLetters());
        assertThat(statuses("SENDING")).isZero();
    }

    private long statuses(String status) {
        return instances.database.number("SELECT count(*) FROM posthorn.event_status WHERE status = '" + status + "'");
    }

    /** What counts is the attempt of a key that the receiver has not heard of, so those that fail again do not. */
    @Test
    void keysThatFailAgainAndAgainAreNoSignThatEverythingFails() {
        instances.listener(told);
        SteppedRelay relay = instances.start(
                "a",
                s -> s.lanes(1)
                        .breakerAfter(20)
                        .retry(RetryPolicy.of(100, Duration.ofSeconds(1)).jitter(0)));
        failingKeysOnly();
        instances.database.recordAll(keys(15, i -> "bad" + i));
        for (int i = 0; i < 30; i++) {
            relay.pass().run(10);
        }
        assertThat(heard).isEmpty();
        assertThat(instances.database.number("SELECT min(attempts) FROM posthorn.delivery"))
                .isGreaterThan(10);
    }

    @Test
    void whatIsWrongIsToldTruthfully() {
        instances.listener(told);
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        sink.answering(event -> FAILED);
        instances.database.recordAll(keys(30, i -> "k" + i));
        relay.pass().run(20);
        assertThat(heard).containsExactly("denied: status 500");
        assertThat(instances.database.value("SELECT denial_reason || coalesce(breaker_reason, '') FROM"
                        + " posthorn.lane_gauge WHERE denial_since IS NOT NULL"))
                .isEqualTo("status 500");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .as("those of which it was learnt")
                .isEqualTo(10);
        sink.answering(event -> new Outcome.Unavailable("connection refused"));
        relay.pass().run(15);
        assertThat(heard).containsExactly("denied: status 500", "opened: connection refused");
        sink.answering(event -> FAILED);
        relay.pass().run(50);
        assertThat(heard).endsWith("closed");
        sink.answering(this::arrive);
        relay.pass().run(15);
        assertThat(heard).endsWith("closed", "over");
        assertThat(arrivals).hasSizeGreaterThanOrEqualTo(20);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.lane_gauge WHERE denial_reason IS NULL"))
                .isOne();
    }

    @Test
    void anHeirBeginsAsTheFormerOwnerLeftIt() {
        SteppedRelay former = instances.start("former", s -> s.lanes(1));
        sink.answering(event -> FAILED);
        instances.database.recordAll(keys(30, i -> "k" + i));
        former.pass().run(20);
        former.close();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay heir = instances.start("heir", s -> s.lanes(1));
        instances.database.recordAll(keys(50, i -> "new" + i));
        for (int i = 0; i < 10; i++) {
            heir.pass().run(10);
        }
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery WHERE attempts > 0"))
                .isEqualTo(10);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.attempt"))
                .as("the oldest alone has used up another")
                .isEqualTo(11);
        sink.answering(this::arrive);
        heir.pass().run(30);
        assertThat(arrivals).as("all but the one that has a delay of its own").hasSize(79);
        for (int i = 0; i < 7; i++) {
            heir.pass().run(100);
        }
        assertThat(arrivals).hasSize(80);
    }

    @Test
    void lanesChangeThoughEverythingIsRefused() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        sink.answering(event -> FAILED);
        instances.database.recordAll(keys(30, i -> "k" + i));
        relay.pass().run(20);
        relay.serve(Subscription.to("test", sink).lanes(3).build());
        for (int i = 0; i < 10; i++) {
            relay.pass().run(10);
        }
        assertThat(instances.stored().lanes()).isEqualTo(3);
        sink.answering(this::arrive);
        for (int i = 0; i < 40; i++) {
            relay.pass().run(10);
        }
        assertThat(arrivals).hasSize(30);
        assertThat(deadLetters()).isZero();
    }

    @Test
    void blockedKeysBeyondWhatIsKeptInMindAreLookedUp() {
        RetryPolicy often = RetryPolicy.of(100, Duration.ofSeconds(20)).jitter(0);
        SteppedRelay former =
                instances.start("former", s -> s.lanes(1).retry(often).blockedKeysLimit(5));
        failingKeysOnly();
        List<String> mixed = keys(200, i -> (i % 2 == 0 ? "bad" : "good") + i);
        instances.database.recordAll(mixed);
        former.run(5);
        instances.database.recordAll(mixed);
        former.run(5);
        assertThat(instances.keys()).filteredOn(key -> key.startsWith("good")).hasSize(200);
        assertThat(instances.database.value("SELECT string_agg(state || ' ' || count, ', ' ORDER BY state) FROM"
                        + " (SELECT state, count(*) FROM posthorn.delivery GROUP BY state) each"))
                .isEqualTo("HELD 100, WAITING 100");
        former.run(10);
        assertThat(instances.database.number("SELECT blocked_keys FROM posthorn.lane_gauge"))
                .isEqualTo(100);
        former.close();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay heir = instances.start("heir", s -> s.lanes(1).retry(often).blockedKeysLimit(5));
        heir.run(5);
        instances.database.recordAll(mixed);
        heir.run(5);
        sink.answering(this::arrive);
        for (int i = 0; i < 5; i++) {
            heir.pass().run(100);
        }
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        Map<String, List<Long>> byKey = new HashMap<>();
        sink.received()
                .forEach(event -> byKey.computeIfAbsent(event.event().key(), k -> new ArrayList<>())
                        .add(event.seq()));
        byKey.forEach((key, seqs) ->
                assertThat(seqs.stream().distinct()).as(key).hasSize(3).isSorted());
    }

    @Test
    void keysThatHangLeavePlacesForOthers() {
        sink.taking(8).hold();
        SteppedRelay relay = instances.start(
                "a",
                s -> s.lanes(1)
                        .timeout(Duration.ofSeconds(2))
                        .retry(RetryPolicy.of(100, Duration.ofSeconds(1)).jitter(0)));
        Map<String, Instant> recorded = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            if (i % 10 == 0 && i < 100) {
                instances.database.recordAll(List.of("bad" + i, "bad" + (i + 1), "bad" + (i + 2)));
            }
            instances.database.record("good" + i);
            recorded.put("good" + i, instances.clock.instant());
            relay.pass().run(2);
            answerGood();
        }
        relay.run(2);
        answerGood();
        recorded.forEach((key, at) ->
                assertThat(Duration.between(at, arrivals.get(key))).as(key).isLessThanOrEqualTo(Duration.ofSeconds(1)));
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery WHERE error_class = 'timeout'"))
                .isEqualTo(30);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.lane_gauge WHERE breaker_since IS NULL"))
                .isOne();
    }

    @Test
    void aKeyThatHangsIsNotProbedForEverWhileAnotherWaits() {
        sink.taking(8).hold();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).timeout(Duration.ofSeconds(2)));
        instances.database.recordAll(keys(20, i -> "bad" + i));
        relay.run(30);
        assertThat(instances.database.value("SELECT breaker_reason FROM posthorn.lane_gauge"))
                .isEqualTo("no answer within 2000 ms");
        instances.database.record("good");
        for (int i = 0; i < 80 && arrivals.isEmpty(); i++) {
            relay.pass().run(5);
            answerGood();
        }
        assertThat(arrivals).containsKey("good");
        relay.run(3);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.lane_gauge WHERE breaker_since IS NULL"))
                .isOne();
    }

    /** Each lane's share is a single place: whoever hangs there again and again holds it against all others of the lane. */
    @Test
    void whereThereAreFewPlacesKeysThatHangHoldAQuarterOfThemAllTogether() {
        sink.taking(4).hold();
        Duration timeout = Duration.ofSeconds(2);
        SteppedRelay relay = instances.start(
                "a",
                s -> s.lanes(4)
                        .timeout(timeout)
                        .retry(RetryPolicy.of(1000, Duration.ofSeconds(1)).jitter(0)));
        instances.database.recordAll(keys(12, i -> "bad" + i));
        Map<String, Instant> recorded = new HashMap<>();
        Instant settled = instances.clock.instant();
        long before = 0;
        for (int i = 0; i < 200; i++) {
            if (i == 100) {
                // All have been tried once by now.
                settled = instances.clock.instant();
                before = hung();
            }
            instances.database.record("good" + i);
            if (i >= 100) {
                recorded.put("good" + i, instances.clock.instant());
            }
            runAnswering(relay, 4);
        }
        long oneAfterTheOther =
                Duration.between(settled, instances.clock.instant()).dividedBy(timeout);
        assertThat(hung() - before).isPositive().isLessThanOrEqualTo(oneAfterTheOther + 1);
        runAnswering(relay, 40);
        recorded.forEach((key, at) -> {
            assertThat(arrivals).containsKey(key);
            assertThat(Duration.between(at, arrivals.get(key)))
                    .as("no later than after one that hung in its lane: " + key)
                    .isLessThanOrEqualTo(timeout.plusSeconds(1));
        });
    }

    /** How many requests were never answered. */
    private long hung() {
        return sink.waiting().stream().filter(each -> isBad(each.event())).count();
    }

    private void runAnswering(SteppedRelay relay, int steps) {
        for (int i = 0; i < steps; i++) {
            relay.pass().run(1);
            answerGood();
        }
    }

    @Test
    void keysThatAreAskedToWaitDelayNoOther() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        Outcome overrun = new Outcome.Retry(ErrorClass.THROTTLED, "status 429", Duration.ofSeconds(1), null);
        sink.answering(event -> isBad(event) ? overrun : arrive(event));
        instances.database.recordAll(keys(300, i -> "bad" + i));
        instances.database.record("good");
        Instant recorded = instances.clock.instant();
        for (int i = 0; i < 100 && arrivals.isEmpty(); i++) {
            relay.run(1);
        }
        assertThat(Duration.between(recorded, instances.clock.instant())).isLessThanOrEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void withASingleAttemptNoMoreThanOneEventAMinuteIsGivenUp() {
        SteppedRelay relay = instances.start(
                "a", s -> s.lanes(2).inFlightLimit(200).retry(RetryPolicy.of(1, Duration.ofSeconds(30))));
        sink.answering(event -> FAILED);
        Instant began = instances.clock.instant();
        for (int i = 0; i < 180; i++) {
            int second = i;
            instances.database.recordAll(keys(10, n -> "k" + second + "-" + n));
            relay.pass().run(10);
        }
        long minutes = Duration.between(began, instances.clock.instant()).toMinutes() + 1;
        assertThat(deadLetters()).as("each lane's first ten, and then").isLessThanOrEqualTo(20 + minutes);
        sink.answering(this::arrive);
        for (int i = 0; i < 600 && arrivals.size() + deadLetters() < 1800; i++) {
            relay.pass().run(10);
        }
        assertThat(arrivals.size() + deadLetters()).isEqualTo(1800);
    }

    private void answerGood() {
        sink.waiting().stream()
                .filter(each -> !isBad(each.event()))
                .forEach(each -> each.answer().with(arrive(each.event())));
    }
}
