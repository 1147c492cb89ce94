package dev.posthorn.sink;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of one event at a sink. An expected failure is a value, never an exception. */
public sealed interface Outcome {

    Outcome DELIVERED = new Delivered();

    /** The receiver has it. */
    record Delivered() implements Outcome {}

    /**
     * It failed in a way that may pass.
     *
     * @param after the receiver's wish when to try again
     */
    record Retry(String reason, @Nullable Duration after) implements Outcome {

        public Retry(String reason) {
            this(reason, null);
        }
    }

    /** This event will never be taken. */
    record Reject(String reason) implements Outcome {}

    /** The receiver cannot be reached at all; it says nothing about this event. */
    record Unavailable(String reason) implements Outcome {}
}
