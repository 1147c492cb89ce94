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
     * How many events it takes at a time, from all lanes of an instance together. They are not handed more, so that
     * nothing has to wait inside the sink while the time for its answer runs.
     */
    default int concurrency() {
        return Integer.MAX_VALUE;
    }

    /**
     * Opens a channel for a lane.
     *
     * @param lane the lane's name, for logs and client ids
     * @param timeout how long an event may take. A channel that keeps the order is closed by the lane when it has been
     *     silent for that long; any other answers by itself by then, and has given the event up
     */
    Channel open(String lane, Duration timeout);
}
