package dev.posthorn.relay.lane.trouble;

import dev.posthorn.relay.store.Ticker;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a lane makes of its receiver's answers. Either nobody answers (the {@link Breaker} is open), or the receiver
 * refuses everything (the {@link Denial}), or all is well, but for keys that fail by themselves.
 */
public final class ReceiverState {

    /** How many of those that were tried get a row at a time when there is no room for more, and how often. */
    private static final int ROWS = 20;

    private static final long ROWS_GAP = Duration.ofMillis(200).toNanos();

    private final String subscription;
    private final String lane;
    private final RelayListener listener;
    private final Ticker ticker;
    private final Breaker breaker = new Breaker();
    private final Denial denial;
    private long nextRows;

    public ReceiverState(String lane, Subscription subscription, RelayListener listener, Ticker ticker) {
        this.subscription = subscription.name();
        this.lane = lane;
        this.listener = listener;
        this.ticker = ticker;
        this.denial = new Denial(subscription.breakerAfter());
        this.nextRows = ticker.nanos();
    }

    public Breaker breaker() {
        return breaker;
    }

    public Denial denial() {
        return denial;
    }

    /** Whether there is nothing to tell of it. */
    public boolean isCalm() {
        return breaker.reason() == null && denial.told() == null;
    }

    /** Whether what fails now stays in the lane's hands without having counted, so that others are tried before it. */
    public boolean isTrying() {
        return breaker.isOpen() || denial.isOn();
    }

    /**
     * Whether what was tried has to make room for what was not: the receiver is there, and may take some. If it is not
     * even reached, one event tells as much as another.
     */
    public boolean needsRoom() {
        return breaker.isOpen() ? breaker.isSilent() : denial.isOn();
    }

    /** How many of those that were tried may get a row now, so that there is room for others. */
    public int rowsNow() {
        long now = ticker.nanos();
        if (nextRows - now > 0) {
            return 0;
        }
        nextRows = now + ROWS_GAP;
        return ROWS;
    }

    /** Whether one more event is needed to find out if the receiver takes any. */
    public boolean lacksTrial() {
        return breaker.lacksProbe() || denial.lacksTrial();
    }

    /** What the receiver said last, or why it said nothing. To be asked only while something is tried. */
    public Outcome.Failure failure() {
        Outcome.Failure denied = denial.failure();
        return denied == null ? new Outcome.Unavailable(String.valueOf(breaker.reason())) : denied;
    }

    /** A former owner of the lane left it refused. */
    public void inherit(@Nullable String denialReason) {
        if (denialReason != null) {
            denial.inherit(new Outcome.Retry(denialReason), ticker.nanos());
        }
    }

    /** Something arrived. */
    public void succeeded() {
        answered();
        if (denial.succeeded()) {
            listener.denialEnded(subscription, lane);
        }
    }

    private void answered() {
        if (breaker.answered()) {
            listener.breakerClosed(subscription, lane);
        }
    }

    /**
     * An event failed.
     *
     * @param freshKey the event's key, if this was the first that the receiver heard of it
     * @param silence whether nobody has answered since it was sent
     */
    public void failed(Outcome.Failure failure, @Nullable Object freshKey, boolean silence) {
        long now = ticker.nanos();
        boolean unasked = failure instanceof Outcome.Unavailable || failure instanceof Outcome.Gone;
        if (unasked || (silence && isSilence(failure))) {
            // One that wants no more events is told by the pause that follows.
            if (breaker.open(failure.reason(), !unasked, now) && !(failure instanceof Outcome.Gone)) {
                listener.breakerOpened(subscription, lane, failure.reason());
            }
        } else if (!isSilence(failure)) {
            answered();
            if (failure instanceof Outcome.Retry) {
                denial.failed(failure, freshKey, now);
            }
        }
    }

    /** Whether that is no answer: none came in time. A receiver may also say that it took too long, which is one. */
    public static boolean isSilence(Outcome outcome) {
        return outcome instanceof Outcome.Retry retry
                && retry.errorClass() == ErrorClass.TIMEOUT
                && retry.reply() == null;
    }

    /** Tells what has become worth telling. */
    public void tell() {
        Outcome.Failure failure = denial.failure();
        if (failure != null && denial.becomesWorthTelling(ticker.nanos())) {
            listener.denialBegan(subscription, lane, failure.reason());
        }
    }

    /** In how many nanoseconds something becomes worth telling; very long if nothing does. */
    public long worthTellingInNanos() {
        return denial.worthTellingInNanos(ticker.nanos());
    }

    /** In how many nanoseconds those that were tried may get rows again. */
    public long nextRowsNanos() {
        return nextRows - ticker.nanos();
    }

    /**
     * In how many nanoseconds something may be tried; very long if all is well.
     *
     * @param untried whether there is something that was not tried yet
     */
    public long nextNanos(boolean untried, long now) {
        return breaker.isOpen() ? breaker.nextProbeNanos(now) : denial.nextNanos(untried, now);
    }
}
