package dev.posthorn.relay.store;

import dev.posthorn.sink.Outcome;

/**
 * What was tried and what came back.
 *
 * @param startedAgo how many nanoseconds before the settle it began
 * @param took how many nanoseconds it took
 */
public record AttemptRecord(long seq, int number, long startedAgo, long took, Outcome outcome) {}
