package dev.posthorn.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.server.problem.ProblemException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BucketsTest {

    private final AtomicLong now = new AtomicLong();

    @Test
    void aSecondsWorthMayComeAtOnceAndTheRestSteadily() {
        Buckets buckets = new Buckets(2, now::get);
        buckets.take("a");
        buckets.take("a");
        assertThatThrownBy(() -> buckets.take("a")).isInstanceOfSatisfying(ProblemException.class, refused -> {
            assertThat(refused.problem().type().status()).isEqualTo(429);
            assertThat(refused.problem().retryAfter()).hasMillis(500);
        });
        buckets.take("b");
        now.addAndGet(500_000_000);
        buckets.take("a");
        assertThatThrownBy(() -> buckets.take("a")).isInstanceOf(ProblemException.class);
    }

    @Test
    void lessThanOneASecondIsPossible() {
        Buckets buckets = new Buckets(0.1, now::get);
        buckets.take("a");
        assertThatThrownBy(() -> buckets.take("a"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refused -> assertThat(refused.problem().retryAfter()).hasSeconds(10));
        now.addAndGet(10_000_000_000L);
        buckets.take("a");
    }

    @Test
    void zeroIsAnyNumber() {
        Buckets buckets = new Buckets(0, now::get);
        for (int i = 0; i < 1000; i++) {
            buckets.take("a");
        }
    }
}
