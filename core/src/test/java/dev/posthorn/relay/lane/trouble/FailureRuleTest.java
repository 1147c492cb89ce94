package dev.posthorn.relay.lane.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.lane.trouble.FailedDelivery.Origin;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What becomes of an event that failed. */
class FailureRuleTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Circumstances CALM = new Circumstances(false, false, false);
    private static final Circumstances DENIED = new Circumstances(false, true, false);
    private static final Circumstances LATE = new Circumstances(true, false, false);
    private static final Outcome.Failure RETRY = new Outcome.Retry("busy");
    private static final Outcome.Failure REJECT = new Outcome.Reject("malformed");
    private static final Outcome.Failure UNAVAILABLE = new Outcome.Unavailable("refused");

    private final Subscription.Builder settings = Subscription.to("test", RecordingSink.oneAtATime())
            .retry(RetryPolicy.of(3, MINUTE).jitter(0))
            .whenUnavailable(WhenUnavailable.COUNT);

    @Test
    void whatFailsWaitsUntilItsAttemptsAreUsedUp() {
        assertThat(judge(attempt(RETRY, 1), CALM)).isEqualTo(new Verdict.Waits(1, MINUTE));
        assertThat(judge(attempt(RETRY, 2), CALM)).isEqualTo(new Verdict.Waits(2, MINUTE));
        assertThat(judge(attempt(RETRY, 3), CALM)).isEqualTo(new Verdict.Dead(3, false));
    }

    @Test
    void whatIsRejectedIsDeadAtOnceWhateverItWasSentFor() {
        for (Purpose purpose : Purpose.values()) {
            FailedDelivery rejected = new FailedDelivery(REJECT, 1, purpose, Origin.LOG, true, true);
            assertThat(judge(rejected, DENIED)).isEqualTo(new Verdict.Dead(1, false));
        }
    }

    @Test
    void aDeadLetterHoldsItsKeyIfItHasOneAndIsNoReplay() {
        settings.afterDeadLetter(AfterDeadLetter.HOLD);
        assertThat(judge(rejected(Origin.ROW, true), CALM)).isEqualTo(new Verdict.Dead(1, true));
        assertThat(judge(rejected(Origin.ROW, false), CALM)).isEqualTo(new Verdict.Dead(1, false));
        assertThat(judge(rejected(Origin.REPLAY, true), CALM)).isEqualTo(new Verdict.Dead(1, false));
    }

    @Test
    void aReplayIsOneAttempt() {
        FailedDelivery replayed = new FailedDelivery(RETRY, 1, Purpose.DELIVERY, Origin.REPLAY, true, true);
        assertThat(judge(replayed, CALM)).isEqualTo(new Verdict.Dead(1, false));
    }

    @Test
    void anOutageCountsOnlyWhereThatIsWantedAndOnlyOnce() {
        assertThat(judge(attempt(UNAVAILABLE, 1), CALM)).isEqualTo(new Verdict.Waits(1, MINUTE));
        assertThat(judge(attempt(UNAVAILABLE, 1), LATE)).isEqualTo(new Verdict.Again());
        settings.whenUnavailable(WhenUnavailable.WAIT);
        assertThat(judge(attempt(UNAVAILABLE, 1), CALM)).isEqualTo(new Verdict.Again());
    }

    @Test
    void aTrialAndAProbeBeforeItsTimeDoNotCount() {
        assertThat(judge(new FailedDelivery(RETRY, 1, Purpose.TRIAL, Origin.LOG, true, true), CALM))
                .isEqualTo(new Verdict.Again());
        assertThat(judge(new FailedDelivery(RETRY, 2, Purpose.PROBE, Origin.ROW, false, true), CALM))
                .isEqualTo(new Verdict.Again());
    }

    @Test
    void whileEverythingIsRefusedOnlyAProbeCountsAndADueRowGoesBehindTheOthers() {
        FailedDelivery row = new FailedDelivery(RETRY, 2, Purpose.TRIAL, Origin.ROW, true, true);
        assertThat(judge(attempt(RETRY, 1), DENIED)).isEqualTo(new Verdict.Again());
        assertThat(judge(row, DENIED)).isEqualTo(new Verdict.WaitsUncounted(Duration.ZERO));
        assertThat(judge(row, new Circumstances(false, true, true))).isEqualTo(new Verdict.WaitsUncounted(MINUTE));
        assertThat(judge(new FailedDelivery(RETRY, 2, Purpose.PROBE, Origin.ROW, true, true), DENIED))
                .isEqualTo(new Verdict.Waits(2, MINUTE));
    }

    @Test
    void aReceiverThatWantsNoMoreSaysNothingAboutTheEvent() {
        assertThat(judge(attempt(new Outcome.Gone("410", null), 3), CALM)).isEqualTo(new Verdict.Again());
    }

    private static FailedDelivery attempt(Outcome.Failure failure, int number) {
        return new FailedDelivery(failure, number, Purpose.DELIVERY, Origin.LOG, true, true);
    }

    private static FailedDelivery rejected(Origin origin, boolean keyed) {
        return new FailedDelivery(REJECT, 1, Purpose.DELIVERY, origin, true, keyed);
    }

    private Verdict judge(FailedDelivery failed, Circumstances around) {
        return new FailureRule(settings.build()).judge(failed, around, new Random(1));
    }
}
