package dev.posthorn.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** That figures mean what they say. */
class ComparisonTest {

    private final List<String> order = new ArrayList<>();

    private Side side(Comparison comparison, String name, double... rates) {
        return comparison.side(name, round -> {
            order.add(name + round);
            return Turn.perSecond(rates[round]);
        });
    }

    @Test
    void warmUpsDoNotCountAndMediansAreCompared() throws Exception {
        Comparison comparison = new Comparison("test", new Output(), new Rounds(3, 1));
        Side ours = side(comparison, "ours", 1000, 30, 10, 20);
        Side bare = side(comparison, "bare", 1, 50, 400, 40);
        comparison.run();
        assertThat(ours.perSecondOfTurns()).containsExactly(30.0, 10.0, 20.0);
        assertThat(ours.perSecond()).isEqualTo(20);
        assertThat(bare.perSecond()).isEqualTo(50);
        assertThat(ours.ratio(bare)).isEqualTo(0.4);
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheMiddleTwo() throws Exception {
        Comparison comparison = new Comparison("test", new Output(), new Rounds(4, 0));
        Side ours = side(comparison, "ours", 1, 2, 4, 100);
        comparison.run();
        assertThat(ours.perSecond()).isEqualTo(3);
    }

    @Test
    void eachSideBeginsInTurn() throws Exception {
        Comparison comparison = new Comparison("test", new Output(), new Rounds(2, 1));
        side(comparison, "a", 1, 1, 1);
        side(comparison, "b", 1, 1, 1);
        side(comparison, "c", 1, 1, 1);
        comparison.run();
        assertThat(order).containsExactly("a0", "b0", "c0", "b1", "c1", "a1", "c2", "a2", "b2");
    }

    @Test
    void resultsAreJson() throws Exception {
        Comparison comparison = new Comparison("test", new Output(), new Rounds(1, 0));
        Side ours = side(comparison, "ours", 1234567.8);
        comparison.run();
        Figures figures = new Figures().rates(ours).put("from", "a \"place\"").put("more", new Figures().put("n", 2));
        assertThat(figures.json())
                .isEqualTo("{\"oursPerSecond\": 1234570, \"oursRounds\": [1234570], \"from\": \"a \\\"place\\\"\","
                        + " \"more\": {\"n\": 2}}");
    }

    @Test
    void percentilesAreThoseOfTheEventsWithinOneInAThousand() {
        Percentiles millis =
                Percentiles.between(IntStream.rangeClosed(1, 1000), event -> 0, event -> event * 1_000_000L);
        assertThat(millis.p50()).isCloseTo(500, within(0.5));
        assertThat(millis.p99()).isCloseTo(990, within(1.0));
        assertThat(millis.p999()).isCloseTo(999, within(1.0));
    }

    @Test
    void anEventThatCameBeforeItsCommitReturnedTookNoTime() {
        assertThat(Percentiles.between(IntStream.of(0), event -> 5, event -> 4).p50())
                .isZero();
    }
}
