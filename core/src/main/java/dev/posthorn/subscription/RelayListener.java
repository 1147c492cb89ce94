package dev.posthorn.subscription;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import java.time.Duration;

/**
 * Told what happens in a relay. Called on its own threads after the fact, so it has to be quick; what it throws is logged
 * and has no effect. Every method does nothing unless overridden.
 */
public interface RelayListener {

    /** So many events were delivered and settled since the last call. */
    default void delivered(String subscription, String lane, int events) {}

    /** An event failed and is sent again. */
    default void retried(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, Duration delay) {}

    /**
     * An event is a dead letter.
     *
     * @param holdsKey whether later events of its key wait until somebody deals with it
     */
    default void deadLettered(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, boolean holdsKey) {}

    /** The receiver is not reached, or does not answer: the lane sends nothing but probes. */
    default void breakerOpened(String subscription, String lane, String reason) {}

    /** The receiver answers again, with yes or no. */
    default void breakerClosed(String subscription, String lane) {}

    /**
     * The receiver answers and refuses everything, for a second by now: attempts do not count, and what was not tried yet
     * is tried in rounds.
     */
    default void denialBegan(String subscription, String lane, String reason) {}

    /** The receiver takes events again. */
    default void denialEnded(String subscription, String lane) {}

    /** The receiver wants no more events: the subscription is paused, until somebody resumes it. */
    default void paused(String subscription, String reason) {}

    /**
     * Another instance owns the lane, or the session of this one has ended; so many events without an answer are sent again
     * by whoever owns it now.
     */
    default void leaseLost(String subscription, String lane, int inFlight) {}

    /**
     * The log cannot be cut, because a subscription has not settled events older than the retention. Told once an hour.
     *
     * @param age how long ago the oldest of their partitions was full
     * @param events how many there are at most
     */
    default void retentionHeld(String subscription, Duration age, long events) {}

    /** An event was delivered before an earlier one of its key, which had failed. */
    default void overtaken(String subscription, RecordedEvent event) {}
}
