package dev.posthorn.subscription;

/** Whether a receiver that cannot be reached uses up an event's attempts. */
public enum WhenUnavailable {
    /** Never: the event waits for as long as it takes. The default for brokers. */
    WAIT,
    /** An attempt that the event's own delays had due counts, so that an outage exhausts one event at a time. */
    COUNT
}
