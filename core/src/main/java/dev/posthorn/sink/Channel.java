package dev.posthorn.sink;

import dev.posthorn.event.RecordedEvent;

/** One lane's way to a sink. */
public interface Channel extends AutoCloseable {

    /**
     * Takes an event on its way and answers later. Never blocks and never throws for an expected failure.
     *
     * @param attempt which attempt it is, counted from 1; the same again if the one before did not count
     */
    void send(RecordedEvent event, int attempt, Answer answer);

    /** Called after a run of {@link #send}: nothing more comes for the moment. */
    default void flush() {}

    /**
     * Ends the channel at once: nothing that has not left yet is sent any more, and no answer is owed. Never blocks for
     * long.
     */
    @Override
    void close();
}
