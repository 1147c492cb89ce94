package dev.posthorn.relay.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.testing.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tokens of one instance and whom they go to. */
class AllowanceTest {

    private final SettableClock clock = SettableClock.at(Instant.EPOCH);
    private final Allowance allowance = new Allowance(100, clock);
    private final List<Integer> asked = new ArrayList<>();
    private final Object first = "first";
    private final Object second = "second";
    private LaneStore.Granted answer = new LaneStore.Granted(0, 0);

    private LaneStore.Granted lease(double rate, double capacity, int wanted) {
        asked.add(wanted);
        return answer;
    }

    private int take(Object lane, int wanted) {
        return allowance.take(lane, wanted, this::lease).tokens();
    }

    @Test
    void noMoreIsLeasedThanATenthOfASecondsWorth() {
        answer = new LaneStore.Granted(10, 5);
        assertThat(take(first, 500)).isEqualTo(10);
        assertThat(take(first, 3)).isEqualTo(10);
        assertThat(asked).containsExactly(10, 3);
    }

    @Test
    void whatOneLaneHasNoUseForIsForTheOthersForASecond() {
        long now = clock.nanos();
        allowance.giveBack(new Allowance.Portion(4, now));
        clock.advance(Duration.ofMillis(999));
        assertThat(take(first, 3)).isEqualTo(3);
        assertThat(asked).isEmpty();
        clock.advance(Duration.ofMillis(1));
        assertThat(take(second, 3)).as("dropped, and none are leased").isZero();
        assertThat(asked).containsExactly(3);
    }

    @Test
    void aLeaseThatTookASecondIsWorthNothing() {
        assertThat(allowance
                        .take(first, 5, (rate, capacity, wanted) -> {
                            clock.advance(Duration.ofSeconds(1));
                            return new LaneStore.Granted(5, 0);
                        })
                        .tokens())
                .isZero();
    }

    @Test
    void nobodyAsksAgainBeforeATokenIsDue() {
        assertThat(take(first, 1)).isZero();
        assertThat(allowance.nextNanos(first)).isEqualTo(Duration.ofMillis(10).toNanos());
        take(first, 1);
        take(second, 1);
        assertThat(asked).hasSize(1);
        clock.advance(Duration.ofMillis(10));
        take(first, 1);
        assertThat(asked).hasSize(2);
    }

    @Test
    void whoeverWasServedAsksLaterThanWhoeverWasRefused() {
        answer = new LaneStore.Granted(1, 0);
        take(first, 1);
        long served = allowance.nextNanos(first);
        clock.advance(Duration.ofMillis(100));
        answer = new LaneStore.Granted(0, 0);
        take(first, 1);
        assertThat(allowance.nextNanos(first)).isLessThan(served);
    }

    @Test
    void lanesAreServedInTheOrderInWhichTheyCame() {
        take(first, 1);
        take(second, 1);
        clock.advance(Duration.ofMillis(100));
        answer = new LaneStore.Granted(1, 5);
        assertThat(take(second, 1)).as("another was before").isZero();
        assertThat(take(first, 1)).isOne();
        assertThat(take(first, 1)).as("again, before the other").isZero();
        assertThat(take(second, 1)).isOne();
        assertThat(take(first, 1)).isOne();
    }

    @Test
    void aLaneThatNoLongerAsksIsNotWaitedFor() {
        take(first, 1);
        take(second, 1);
        allowance.leave(first);
        clock.advance(Duration.ofMillis(50));
        answer = new LaneStore.Granted(1, 5);
        assertThat(take(second, 1)).isOne();

        take(first, 1);
        answer = new LaneStore.Granted(0, 0);
        take(first, 1);
        take(second, 1);
        clock.advance(Duration.ofMillis(201));
        answer = new LaneStore.Granted(1, 5);
        assertThat(take(second, 1)).as("the first has lapsed").isOne();
    }

    @Test
    void afterAFailureItIsNotAskedAgainAtOnce() {
        assertThatThrownBy(() -> allowance.take(first, 1, (rate, capacity, wanted) -> {
                    throw new IllegalStateException("the database is away");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(allowance.nextNanos(first)).isEqualTo(Duration.ofMillis(200).toNanos());
    }
}
