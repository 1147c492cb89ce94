package dev.posthorn.relay.lane;

import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a lane has to go carefully. An event can end the process that sends it, again and again. A lane that changed
 * hands by force too often sends one event at a time and writes the attempt down before it makes it, so that the event
 * uses up its attempts like any other. It does so for as many events as could have been on their way at the crash: what
 * it reads once it has read all that its former owners can have read did not end them.
 */
final class CarefulMode {

    /** Whoever has worked for so many timeouts was not ended by what it found when it took over. */
    private static final int TIMEOUTS_TO_PROVE = 2;

    /** With a small limit, rows that others wrote may come before the one that was on its way. */
    private static final int LEAST = 100;

    private final Subscription subscription;
    private final Ticker ticker;
    private final String instance;
    private final int takeovers;

    /** Since when events are sent as they come. */
    private long began;

    private boolean careful;
    private int leftToSend;

    /** Attempts that are being written down; they are made after the commit. */
    private final List<LaneEvent> counted = new ArrayList<>();

    CarefulMode(StoredLane stored, Subscription subscription, Ticker ticker, String instance) {
        this.subscription = subscription;
        this.ticker = ticker;
        this.instance = instance;
        this.takeovers = stored.takeovers();
        this.began = ticker.nanos();
        this.leftToSend = Math.max(LEAST, subscription.inFlightLimit());
        int mostInARush = Math.max(1, Math.min(2, subscription.retry().maxAttempts() - 1));
        this.careful = takeovers >= mostInARush;
    }

    boolean isNeeded() {
        return careful;
    }

    /** One event less that could be the one; none if nothing is left to read. */
    void passed(boolean nothingLeft) {
        leftToSend--;
        if (nothingLeft || leftToSend <= 0) {
            careful = false;
        }
    }

    /**
     * All that former owners can have sent has been read. Without that a lane whose events come faster than they go one by
     * one would have to send its whole in-flight limit so.
     *
     * @param inHand how many of them are yet to be settled
     */
    void caughtUp(int inHand) {
        leftToSend = Math.min(leftToSend, inHand + LEAST);
    }

    /** The receiver takes nothing: what is sent now and then may yet be what ended the others. */
    void provesNothing() {
        began = ticker.nanos();
    }

    /** Whether forced take-overs can be forgotten. */
    boolean isUndisturbed() {
        return !careful
                && ticker.nanos() - began
                        > TIMEOUTS_TO_PROVE * subscription.timeout().toNanos();
    }

    /** In how many nanoseconds they can be, if nothing happens. */
    long undisturbedInNanos() {
        long proof = TIMEOUTS_TO_PROVE * subscription.timeout().toNanos();
        return careful ? Long.MAX_VALUE : began + proof + 1 - ticker.nanos();
    }

    /** The number of the next attempt of an event, those counted that it seems to have had before the lane changed hands. */
    int attempt(LaneEvent item) {
        return item.isLive() ? Math.min(takeovers + 1, subscription.retry().maxAttempts()) : item.attempt();
    }

    void count(LaneEvent item) {
        counted.add(item);
    }

    boolean isCounting() {
        return !counted.isEmpty();
    }

    /** What is sent after the commit. */
    List<LaneEvent> counted() {
        return List.copyOf(counted);
    }

    /** After the commit: what may be sent now. */
    List<LaneEvent> takeCounted() {
        List<LaneEvent> now = List.copyOf(counted);
        counted.clear();
        return now;
    }

    /** What is assumed as long as no answer is written down. */
    Outcome.Failure assumed() {
        return new Outcome.Retry(
                ErrorClass.UNKNOWN,
                "handed to the sink by " + instance + ", which wrote down no answer: it may have ended over it");
    }
}
