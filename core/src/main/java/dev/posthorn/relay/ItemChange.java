package dev.posthorn.relay;

import dev.posthorn.sink.Outcome;

/** What becomes of an item of a replay. */
sealed interface ItemChange {

    long replayId();

    long seq();

    record Delivered(long replayId, long seq) implements ItemChange {}

    record Failed(long replayId, long seq, Outcome.Failure failure) implements ItemChange {}

    /** It is not sent: why. */
    record Skipped(long replayId, long seq, String reason) implements ItemChange {}
}
