package dev.posthorn.relay.lane;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A subscription hands over no more events a second than its rate allows, whoever does it. */
@Tag("slow")
class RateTest {

    private static final Duration TICK = Duration.ofMillis(50);

    private final Instances instances = new Instances(RecordingSink.oneAtATime());

    private SteppedRelay start(String instance, int lanes, double rate) {
        return start(instance, lanes, rate, s -> s);
    }

    private SteppedRelay start(String instance, int lanes, double rate, UnaryOperator<Subscription.Builder> settings) {
        return instances.start(instance, s -> settings.apply(s.lanes(lanes).ratePerSecond(rate)));
    }

    private void record(int count) {
        IntStream.range(0, count).forEach(i -> instances.database.record("k" + i));
    }

    /** So much time, in which every instance is stepped often; returns how many events were handed over. */
    private int run(Duration time, SteppedRelay... relays) {
        int before = sent();
        for (long i = time.dividedBy(TICK); i > 0; i--) {
            instances.clock.advance(TICK);
            if (i % 20 == 0) {
                List.of(relays).forEach(SteppedRelay::pass);
            }
            List.of(relays).forEach(SteppedRelay::step);
        }
        return sent() - before;
    }

    private int sent() {
        return instances.sink.received().size();
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void theRateIsKeptByHoweverManyLanes(int lanes) {
        SteppedRelay relay = start("a", lanes, 20);
        record(200);
        run(seconds(1), relay);
        for (int i = 0; i < 2; i++) {
            assertThat(run(seconds(2), relay)).as("of two seconds").isBetween(38, 42);
        }
    }

    @Test
    void everyLaneGetsItsPart() {
        SteppedRelay relay = start("a", 4, 20);
        record(300);
        run(seconds(4), relay);
        assertThat(relay.lanes())
                .allSatisfy(lane -> assertThat(lane.counters().delivered()).isBetween(16L, 24L));
    }

    @ParameterizedTest
    @ValueSource(doubles = {2, 20})
    void instancesShareOneRate(double rate) {
        SteppedRelay one = start("a", 4, rate);
        SteppedRelay other = start("b", 4, rate);
        IntStream.range(0, 3)
                .forEach(i -> List.of(one, other).forEach(r -> r.pass().run(1)));
        assertThat(instances.owned("a")).isEqualTo(2);
        assertThat(instances.owned("b")).isEqualTo(2);
        record(200);
        run(seconds(1), one, other);
        int sent = run(seconds(8), one, other);
        assertThat(sent).as("of eight seconds").isBetween((int) (7.5 * rate), (int) Math.ceil(8.5 * rate));
        assertThat(delivered(one)).as("by one").isBetween(sent * 2L / 5, sent * 2L / 3);
    }

    private static long delivered(SteppedRelay relay) {
        return relay.lanes().stream()
                .mapToLong(lane -> lane.counters().delivered())
                .sum();
    }

    @Test
    void lessThanOneASecondIsPossible() {
        SteppedRelay relay = start("a", 1, 0.5);
        record(10);
        List<Long> times = new ArrayList<>();
        instances.sink.answering(event -> {
            times.add(instances.clock.nanos() / 1_000_000);
            return Outcome.DELIVERED;
        });
        run(seconds(9), relay);
        List<Long> gaps = IntStream.range(1, times.size())
                .mapToObj(i -> times.get(i) - times.get(i - 1))
                .toList();
        // The first token was there before the first event; from then on one comes every two seconds.
        assertThat(gaps).hasSize(4).allSatisfy(gap -> assertThat(gap).isBetween(2000L, 2050L));
        assertThat(gaps.subList(1, 4)).containsOnly(2000L);
    }

    @Test
    void aLaneIsSteppedWhenATokenIsDue() {
        SteppedRelay relay = start("a", 1, 50);
        record(30);
        relay.run(3);
        assertThat(relay.lanes().get(0).step())
                .as("nanoseconds to the next token, and a little for others to come first")
                .isBetween(Duration.ofMillis(1).toNanos(), Duration.ofMillis(40).toNanos());
    }

    @Test
    void anIdleTimeAllowsNoBurst() {
        SteppedRelay relay = start("a", 2, 50);
        record(1);
        run(seconds(1), relay);
        instances.clock.advance(Duration.ofMinutes(1));
        relay.pass();
        record(100);
        assertThat(run(TICK, relay)).as("what gathers").isBetween(5, 11);
        assertThat(run(seconds(1), relay)).isBetween(45, 55);
    }

    @Test
    void repeatedSendsTakeTokensLikeFirstOnes() {
        SteppedRelay relay = start(
                "a",
                1,
                20,
                s -> s.retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(100)))
                        .breakerAfter(Integer.MAX_VALUE));
        instances.sink.answering(event -> event.seq() % 2 == 0 ? new Outcome.Retry("not yet") : Outcome.DELIVERED);
        record(60);
        run(seconds(1), relay);
        assertThat(run(seconds(4), relay)).isBetween(76, 84);
        Map<Long, Long> sends = instances.sink.received().stream()
                .collect(Collectors.groupingBy(RecordedEvent::seq, Collectors.counting()));
        assertThat(sends).as("both kinds").hasSize(60);
        assertThat(sends.values()).anySatisfy(times -> assertThat(times).isGreaterThan(1));
    }

    @Test
    void probesTakeTokensToo() {
        SteppedRelay relay = start("a", 4, 0.25, s -> s.whenUnavailable(WhenUnavailable.WAIT));
        instances.sink.answering(event -> new Outcome.Unavailable("away"));
        record(40);
        run(seconds(2), relay);
        assertThat(run(seconds(12), relay)).as("three tokens").isBetween(2, 4);
        assertThat(relay.lanes())
                .allSatisfy(lane -> assertThat(lane.step())
                        .as("it does not keep its worker busy")
                        .isPositive());
    }

    @Test
    void whatIsSentCarefullyTakesTokensAndIsNotCountedBeforeItHasOne() {
        start("a", 1, 0.5).close();
        for (String next : List.of("b", "c")) {
            instances.clock.advance(Instances.TTL.plusSeconds(1));
            start(next, 1, 0.5).close();
        }
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay careful = start("d", 1, 0.5);
        record(5);
        run(Duration.ofMillis(1500), careful);
        assertThat(sent()).isOne();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        run(seconds(4), careful);
        assertThat(sent()).isEqualTo(3);
    }

    @Test
    void whatWaitsForATokenIsNeitherWrittenNorCounted() {
        SteppedRelay relay = start("a", 1, 0.01, s -> s.timeout(seconds(1)));
        record(5);
        run(seconds(10), relay);
        assertThat(sent()).isOne();
        assertThat(instances.database.number("SELECT seq FROM posthorn.lane_mark"))
                .as("what was sent is settled")
                .isOne();
        assertThat(instances.database.number("SELECT high_seq FROM posthorn.lane_mark"))
                .as("what was not counts as not handed over")
                .isOne();
        assertThat(instances.database.number(
                        "SELECT (SELECT count(*) FROM posthorn.delivery) + (SELECT count(*) FROM posthorn.attempt)"))
                .isZero();
        assertThat(relay.lanes().get(0).step())
                .as("it does not keep its worker busy")
                .isPositive();
    }

    @Test
    void whatIsOnlyHeldOrDeferredTakesNoTokens() {
        SteppedRelay relay = start("a", 1, 0.01, s -> s.retry(RetryPolicy.of(5, Duration.ofHours(1))));
        instances.sink.answering(event -> new Outcome.Retry("not yet"));
        instances.database.record("same");
        run(seconds(1), relay);
        IntStream.range(0, 5).forEach(i -> instances.database.record("same"));
        instances.recordDeferred("other", Duration.ofHours(1));
        run(seconds(1), relay);
        assertThat(sent()).isOne();
        assertThat(instances.database.value("SELECT string_agg(state::text, ' ' ORDER BY seq) FROM posthorn.delivery"))
                .isEqualTo("WAITING HELD HELD HELD HELD HELD DEFERRED");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theOrderOfAKeyStays(boolean pipelined) {
        Instances others = new Instances(pipelined ? RecordingSink.pipelined() : RecordingSink.oneAtATime());
        SteppedRelay relay = others.start("a", s -> s.lanes(2).ratePerSecond(30));
        for (int i = 0; i < 60; i++) {
            others.database.record("k" + i % 5);
        }
        relay.run(30);
        Map<String, List<Long>> byKey = others.sink.received().stream()
                .collect(Collectors.groupingBy(
                        event -> String.valueOf(event.event().key()),
                        Collectors.mapping(RecordedEvent::seq, Collectors.toList())));
        assertThat(others.sink.received()).hasSize(60);
        assertThat(byKey).hasSize(5).allSatisfy((key, seqs) -> assertThat(seqs).isSorted());
    }

    @Test
    void aLaneThatLeavesDoesNotWaitForTokens() {
        SteppedRelay relay = start("a", 2, 0.01);
        record(10);
        relay.run(3);
        assertThat(sent()).isOne();
        relay.leave();
        assertThat(instances.owned("a")).isZero();
        assertThat(sent()).isOne();
    }

    @Test
    void aPausedSubscriptionLeavesTheTokensToBe() {
        SteppedRelay relay = start("a", 2, 0.5);
        record(10);
        relay.run(3);
        instances.subscriptions().pause("test", null, OPS);
        relay.pass().run(30);
        assertThat(sent()).isOne();
        String before = instances.database.value("SELECT refilled_at FROM posthorn.rate");
        relay.run(5);
        assertThat(instances.database.value("SELECT refilled_at FROM posthorn.rate"))
                .as("nobody asks")
                .isEqualTo(before);
        instances.subscriptions().resume("test", null, OPS);
        relay.pass().run(3);
        assertThat(sent()).isEqualTo(2);
    }

    @Test
    void aLaneThatWasPausedDoesNotHoldUpTheOthers() {
        SteppedRelay relay = start("a", 4, 5);
        record(40);
        relay.run(2);
        relay.lanes().get(0).order(relay.lanes().get(0).orders().leaving());
        assertThat(run(seconds(4), relay)).isBetween(18, 22);
    }

    @Test
    void aDatabaseErrorWhileLeasingIsOneOfTheStep() {
        SteppedRelay relay = start("a", 1, 20);
        instances.database.execute("ALTER TABLE posthorn.rate RENAME TO away");
        record(3);
        relay.run(3);
        assertThat(sent()).isZero();
        assertThat(relay.lanes().get(0).state()).isEqualTo(Lane.State.RUNNING);
        instances.database.execute("ALTER TABLE posthorn.away RENAME TO rate");
        relay.run(10);
        assertThat(instances.keys()).containsExactly("k0", "k1", "k2");
    }

    @Test
    void withoutARateTheTableIsNotTouched() {
        SteppedRelay relay = instances.start("a", 2);
        record(50);
        relay.run(3);
        assertThat(sent()).isEqualTo(50);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.rate"))
                .isZero();
    }

    @Test
    void aRunningRelayKeepsItsRate() {
        Instances running = new Instances(RecordingSink.oneAtATime());
        running.database.execute("CREATE OR REPLACE FUNCTION posthorn.clock() RETURNS timestamptz LANGUAGE sql"
                + " VOLATILE AS 'SELECT clock_timestamp()'");
        IntStream.range(0, 100).forEach(i -> running.database.record("k" + i));
        List<Long> arrivals = new CopyOnWriteArrayList<>();
        running.sink.answering(event -> {
            arrivals.add(System.nanoTime());
            return Outcome.DELIVERED;
        });
        long began = System.nanoTime();
        try (Relay relay = Relay.builder(running.database.dataSource())
                .subscribe(Subscription.to("test", running.sink)
                        .fromBeginning()
                        .ratePerSecond(50)
                        .build())
                .start()) {
            assertThat(relay.lanes()).hasSize(4);
            await().atMost(seconds(60)).until(() -> arrivals.size() == 100);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("a hundred events, at fifty a second")
                    .isGreaterThanOrEqualTo(Duration.ofMillis(1700));
            assertThat(medianOfTen(arrivals)).as("ten events").isLessThanOrEqualTo(Duration.ofMillis(400));
        }
    }

    /** How long ten events take. Not on the whole: a machine that stands still for a while would take part in it. */
    private static Duration medianOfTen(List<Long> arrivals) {
        List<Long> spans = IntStream.range(10, arrivals.size())
                .mapToObj(i -> arrivals.get(i) - arrivals.get(i - 10))
                .sorted()
                .toList();
        return Duration.ofNanos(spans.get(spans.size() / 2));
    }

    @Test
    void aRateHasBounds() {
        for (double rate : new double[] {0, -1, 0.001, 1_000_001, Double.NaN}) {
            assertThatThrownBy(() -> Subscription.to("test", instances.sink)
                            .ratePerSecond(rate)
                            .build())
                    .isInstanceOf(PosthornException.class)
                    .hasMessageContaining("rate-per-second is " + rate)
                    .hasMessageContaining("0.01 to 1000000");
        }
        Subscription unlimited = Subscription.to("test", instances.sink).build();
        assertThat(unlimited.ratePerSecond()).isEqualTo(Subscription.UNLIMITED);
        assertThat(Subscription.to("test", instances.sink).ratePerSecond(5).build())
                .isNotEqualTo(unlimited);
    }
}
