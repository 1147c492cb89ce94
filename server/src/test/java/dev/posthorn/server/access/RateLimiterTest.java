package dev.posthorn.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.server.problem.ProblemException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimiterTest {

    private final AtomicLong now = new AtomicLong();

    @Test
    void aSecondsWorthMayComeAtOnceAndTheRestSteadily() {
        RateLimiter limiter = new RateLimiter(2, now::get);
        limiter.take("a");
        limiter.take("a");
        assertThatThrownBy(() -> limiter.take("a")).isInstanceOfSatisfying(ProblemException.class, refused -> {
            assertThat(refused.problem().type().status()).isEqualTo(429);
            assertThat(refused.problem().retryAfter()).hasMillis(500);
        });
        limiter.take("b");
        now.addAndGet(500_000_000);
        limiter.take("a");
        assertThatThrownBy(() -> limiter.take("a")).isInstanceOf(ProblemException.class);
    }

    @Test
    void lessThanOneASecondIsPossible() {
        RateLimiter limiter = new RateLimiter(0.1, now::get);
        limiter.take("a");
        assertThatThrownBy(() -> limiter.take("a"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refused -> assertThat(refused.problem().retryAfter()).hasSeconds(10));
        now.addAndGet(10_000_000_000L);
        limiter.take("a");
    }

    @Test
    void zeroIsAnyNumber() {
        RateLimiter limiter = new RateLimiter(0, now::get);
        for (int i = 0; i < 1000; i++) {
            limiter.take("a");
        }
    }

    /** A bucket that were forgotten while it fills would be a full one. */
    @Test
    void aBucketThatIsInUseIsNotForgotten() {
        RateLimiter limiter = new RateLimiter(2, now::get);
        limiter.take("a");
        limiter.take("a");
        now.addAndGet(900_000_000);
        limiter.take("a");
        now.addAndGet(100_000_000);
        limiter.take("a");
        assertThatThrownBy(() -> limiter.take("a")).isInstanceOf(ProblemException.class);
    }

    @Test
    void everyoneOfManyCallersHasALimitAndIsForgottenWhenItCountsNoMore() {
        RateLimiter limiter = new RateLimiter(1, now::get);
        int many = 50_000;
        for (int i = 0; i < many; i++) {
            limiter.take("caller " + i);
        }
        for (int i = 0; i < many; i++) {
            String caller = "caller " + i;
            assertThatThrownBy(() -> limiter.take(caller)).isInstanceOf(ProblemException.class);
        }
        assertThat(limiter.callers()).isEqualTo(many);
        now.addAndGet(1_000_000_000);
        assertThat(limiter.callers()).isZero();
        limiter.take("caller 0");
    }

    /** Made-up addresses neither fill the memory nor buy a caller out of its limit. */
    @Test
    void whoCallsTooOftenIsRememberedAmongAnyNumberOfStrangers() {
        RateLimiter limiter = new RateLimiter(2, now::get);
        limiter.take("greedy");
        limiter.take("greedy");
        for (int i = 0; i < 5 * RateLimiter.MOST_CALLERS; i++) {
            limiter.take("stranger " + i);
            if (i % 1_000 == 0) {
                assertThatThrownBy(() -> limiter.take("greedy")).isInstanceOf(ProblemException.class);
            }
        }
        assertThat(limiter.callers()).isEqualTo(RateLimiter.MOST_CALLERS);
    }
}
