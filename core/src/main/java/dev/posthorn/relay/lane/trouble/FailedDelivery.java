package dev.posthorn.relay.lane.trouble;

import dev.posthorn.sink.Outcome;

/**
 * An attempt that failed, as far as it matters to what becomes of its event.
 *
 * @param number which attempt it was, if it counts
 * @param due whether the event's own delays said that an attempt was due; a probe may come before
 * @param keyed whether the event has a key
 */
public record FailedDelivery(
        Outcome.Failure failure, int number, Purpose purpose, Origin origin, boolean due, boolean keyed) {

    /** How the event came to be sent. */
    public enum Origin {
        /** As it was read. */
        LOG,
        /** By its delivery row. */
        ROW,
        /** For a replay. */
        REPLAY
    }

    boolean isReplay() {
        return origin == Origin.REPLAY;
    }

    boolean isRejected() {
        return failure instanceof Outcome.Reject;
    }
}
