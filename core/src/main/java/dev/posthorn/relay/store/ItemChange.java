package dev.posthorn.relay.store;

import dev.posthorn.sink.Outcome;

/** What becomes of an item of a replay. */
public sealed interface ItemChange {

    long replayId();

    long seq();

    record Delivered(long replayId, long seq) implements ItemChange {}

    record Failed(long replayId, long seq, Outcome.Failure failure) implements ItemChange {}

    /** It is not sent: why. */
    record Skipped(long replayId, long seq, String reason) implements ItemChange {}
}
