package dev.posthorn.relay.lane.trouble;

import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the receiver answers and refuses everything: so many keys in a row failed at their first attempt, and nothing
 * arrived since. What fails at a later attempt says nothing new, so keys that fail again and again never bring it about.
 *
 * <p>While it lasts attempts do not count, or a long outage would turn everything into dead letters; but for one event
 * of the subscription, so that an event that is to be given up after so many attempts is. It may be a mistake, with keys
 * that are well among those to come. So whatever was not tried since is tried, once, in rounds that grow from a single
 * event to all that the sink takes, and from what was tried before one is tried a second. The first event that arrives
 * ends it.
 *
 * <p>A receiver that says when it wants to be asked again is overrun rather than broken: then a round is a single event.
 */
public final class Denial {

    private static final long FIRST_GAP = Duration.ofMillis(1).toNanos();
    private static final long LONGEST_GAP = Duration.ofMillis(200).toNanos();
    private static final long RETRIAL = Duration.ofSeconds(1).toNanos();

    /** Whatever the attempts and delays of a subscription: no more dead letters than one in so long. */
    private static final long COUNTING = Duration.ofMinutes(1).toNanos();

    private static final int WIDEST = 1 << 16;

    /** A mixture of good and bad keys has ten bad ones in a row now and then, which is nothing to tell anybody. */
    private static final long WORTH_TELLING = Duration.ofSeconds(1).toNanos();

    private final int keysToBegin;

    /** Keys that failed at their first attempt since something arrived. */
    private final Set<Object> failedKeys = new HashSet<>();

    private Outcome.@Nullable Failure failure;
    private boolean told;
    private long began;
    private int width;
    private long gap;
    private long nextRound;
    private long nextRetrial;
    private boolean rowsNext;
    private boolean lacksTrial;

    /** The event whose attempts count, and since when. */
    private @Nullable Long counting;

    private long countingSince;

    Denial(int keysToBegin) {
        this.keysToBegin = keysToBegin;
    }

    public boolean isOn() {
        return failure != null;
    }

    /** What the receiver said last. */
    public Outcome.@Nullable Failure failure() {
        return failure;
    }

    /** What the receiver said last, once this is worth telling; otherwise null. */
    public @Nullable String told() {
        return failure != null && told ? failure.reason() : null;
    }

    /** True once, when it has become worth telling. */
    boolean becomesWorthTelling(long now) {
        boolean becomes = isOn() && !told && now - began >= WORTH_TELLING;
        told |= becomes;
        return becomes;
    }

    /** In how many nanoseconds it becomes so; very long if it does not. */
    long worthTellingInNanos(long now) {
        return isOn() && !told ? began + WORTH_TELLING - now : Long.MAX_VALUE;
    }

    /**
     * An event failed, and the receiver had answered.
     *
     * @param freshKey the event's key, if this was the first that the receiver heard of it
     */
    void failed(Outcome.Failure why, @Nullable Object freshKey, long now) {
        if (isOn()) {
            failure = why;
        } else if (freshKey != null) {
            failedKeys.add(freshKey);
            if (failedKeys.size() >= keysToBegin) {
                begin(why, now);
            }
        }
    }

    /** As a former owner of the lane has left it. */
    void inherit(Outcome.Failure why, long now) {
        begin(why, now);
        told = true;
    }

    private void begin(Outcome.Failure why, long now) {
        failedKeys.clear();
        failure = why;
        told = false;
        began = now;
        width = 1;
        gap = FIRST_GAP;
        nextRound = now;
        nextRetrial = now + RETRIAL;
        lacksTrial = false;
    }

    /** Something arrived. True if that ends it and its beginning was told. */
    boolean succeeded() {
        boolean ends = isOn() && told;
        failedKeys.clear();
        failure = null;
        told = false;
        return ends;
    }

    // ---- whose turn it is

    /** How many of those that were not tried yet may be sent now. */
    public int untriedNow(long now) {
        return nextRound - now <= 0 ? width : 0;
    }

    public void triedRound(long now) {
        boolean spares = asksToWait() && now - began >= WORTH_TELLING;
        width = spares ? 1 : Math.min(2 * width, WIDEST);
        nextRound = now + gap;
        gap = spares ? RETRIAL : Math.min(2 * gap, LONGEST_GAP);
    }

    private boolean asksToWait() {
        return failure instanceof Outcome.Retry retry
                && retry.after() != null
                && !retry.after().isZero();
    }

    /** Whether the event's attempts count: one event at a time, and the next one not too soon after it. */
    public boolean mayCount(long seq, long now) {
        if (counting == null || (counting != seq && now - countingSince >= COUNTING)) {
            counting = seq;
            countingSince = now;
        }
        return counting == seq;
    }

    public boolean mayTryAgain(long now) {
        return nextRetrial - now <= 0;
    }

    /** Whether it is the turn of the rows; otherwise of what is in the lane's hands. */
    public boolean isTurnOfRows() {
        return rowsNext;
    }

    /** One was tried again, if any was found to be. */
    public void triedAgain(boolean found, long now) {
        rowsNext = !rowsNext;
        lacksTrial = !found;
        nextRetrial = now + RETRIAL;
    }

    /** Whether it lasts and there is nothing to try, so that even what is replayed has to do. */
    public boolean lacksTrial() {
        return isOn() && lacksTrial;
    }

    /**
     * In how many nanoseconds it is of use to look again; very long if it does not last.
     *
     * @param untried whether there is something that was not tried yet
     */
    long nextNanos(boolean untried, long now) {
        long next = untried ? Math.min(nextRound - now, nextRetrial - now) : nextRetrial - now;
        return isOn() ? Math.max(0, next) : Long.MAX_VALUE;
    }
}
