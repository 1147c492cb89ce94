package dev.posthorn.sink;

import java.time.Duration;

/** A place to deliver to. */
public interface Sink {

    /**
     * Whether a channel delivers in the order in which it was handed events, however many it was handed, and delivers
     * nothing more after a failure. Then a lane pipelines; otherwise it waits for each event's outcome before it sends
     * the next one of that key.
     */
    boolean keepsOrder();

    /**
     * Opens a channel for a lane.
     *
     * @param lane the lane's name, for logs and client ids
     * @param timeout how long the lane waits for an outcome before it closes the channel
     */
    Channel open(String lane, Duration timeout);
}
