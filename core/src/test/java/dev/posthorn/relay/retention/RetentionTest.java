package dev.posthorn.relay.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RetentionTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void defaults() {
        assertThat(Retention.defaults())
                .isEqualTo(
                        new Retention(DAY.multipliedBy(7), DAY.multipliedBy(30), null, DAY.multipliedBy(30), MINUTE));
        assertThat(Retention.defaults().isOff()).isFalse();
        assertThat(Retention.off()).isEqualTo(new Retention(null, null, null, null, MINUTE));
        assertThat(Retention.off().isOff()).isTrue();
        assertThat(new Retention(null, DAY, null, null, MINUTE).isOff()).isFalse();
        assertThat(new Retention(null, null, null, DAY, MINUTE).isOff()).isFalse();
    }

    @Test
    void refusesWhatMakesNoSense() {
        refused(() -> new Retention(Duration.ZERO, null, null, null, MINUTE), "log is PT0S; it must be at least 1 ms");
        refused(
                () -> new Retention(null, DAY.negated(), null, null, MINUTE),
                "attempts is PT-24H; it must be at least 1 ms");
        refused(
                () -> new Retention(null, null, Duration.ofSeconds(Long.MAX_VALUE), null, MINUTE),
                "it must be at most 36500 days, or left out to keep for ever");
        refused(
                () -> new Retention(null, null, null, Duration.ZERO, MINUTE),
                "inbox-entries is PT0S; it must be at least 1 ms");
        refused(
                () -> new Retention(DAY, null, null, null, Duration.ZERO),
                "interval is PT0S; it must be 100 ms to one day");
        refused(() -> new Retention(DAY, null, null, null, DAY.plusMillis(1)), "interval is PT24H0.001S");
    }

    private static void refused(ThrowingCallable setting, String message) {
        assertThatThrownBy(setting)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
                .hasMessageStartingWith("retention: ")
                .hasMessageContaining(message);
    }
}
