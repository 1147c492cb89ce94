package dev.posthorn.relay.lane.trouble;

import java.time.Duration;

/** What becomes of an event that failed. */
public sealed interface Verdict {

    /** The attempt does not count: the event stays what it was, and is sent again. */
    record Again() implements Verdict {}

    /** The attempt does not count, and the event waits by its row, behind all that are due then. */
    record WaitsUncounted(Duration delay) implements Verdict {}

    /** The event waits by its row for its next attempt. */
    record Waits(int attempts, Duration delay) implements Verdict {}

    /** The event is a dead letter, or its replay has failed. */
    record Dead(int attempts, boolean holdsKey) implements Verdict {}
}
