package dev.posthorn.subscription;

/** Of which attempts a record is kept. */
public enum KeepAttempts {
    /** Of those that failed, and of the one by which an event that had failed arrived. */
    FAILED,
    /** Of all: one more row per event. */
    ALL
}
