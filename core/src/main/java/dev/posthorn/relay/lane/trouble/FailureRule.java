package dev.posthorn.relay.lane.trouble;

import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decides what becomes of an event that failed: whether the attempt counts, whether the event is given up, and if not, when
 * it is sent again. It remembers nothing and touches nothing: the same attempt in the same circumstances gets the same
 * verdict, but for the chance in its delay, which is handed in.
 */
public final class FailureRule {

    private final Subscription subscription;

    public FailureRule(Subscription subscription) {
        this.subscription = subscription;
    }

    public Verdict judge(FailedDelivery failed, Circumstances around, RandomGenerator chance) {
        if (!counts(failed, around)) {
            return uncounted(failed, around, chance);
        }
        if (isFinal(failed)) {
            return new Verdict.Dead(failed.number(), !failed.isReplay() && holdsKeyWhenDead(failed.keyed()));
        }
        return new Verdict.Waits(failed.number(), delay(failed.number(), failed.failure(), chance));
    }

    /** An outage says nothing about an event, and a probe before its time is not the event's own attempt. */
    private boolean counts(FailedDelivery failed, Circumstances around) {
        if (failed.isRejected()) {
            return true;
        }
        Purpose purpose = failed.purpose();
        boolean mayCount = around.denied() ? purpose == Purpose.PROBE : purpose != Purpose.TRIAL;
        if (failed.failure() instanceof Outcome.Gone || !mayCount) {
            return false;
        }
        boolean outage = failed.failure() instanceof Outcome.Unavailable;
        return failed.due() && !(outage && (around.late() || subscription.whenUnavailable() == WhenUnavailable.WAIT));
    }

    private Verdict uncounted(FailedDelivery failed, Circumstances around, RandomGenerator chance) {
        boolean hasDueRow = failed.origin() == FailedDelivery.Origin.ROW && failed.due();
        if (!around.denied() || !hasDueRow) {
            return new Verdict.Again();
        }
        return new Verdict.WaitsUncounted(
                around.alone() ? delay(failed.number(), failed.failure(), chance) : Duration.ZERO);
    }

    /** A replay is one attempt: whoever wants another replays again. */
    private boolean isFinal(FailedDelivery failed) {
        return failed.isRejected() || failed.isReplay() || isExhausted(failed.number());
    }

    public boolean isExhausted(int attempts) {
        return subscription.retry().isExhausted(attempts);
    }

    /** Whether later events of its key wait until somebody sees to the dead letter. */
    public boolean holdsKeyWhenDead(boolean keyed) {
        return keyed && subscription.afterDeadLetter() == AfterDeadLetter.HOLD;
    }

    public Duration delay(int attempts, Outcome.Failure failure, RandomGenerator chance) {
        return subscription.retry().delay(attempts, failure, chance);
    }
}
