package dev.posthorn.sink;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of one event at a sink. An expected failure is a value, never an exception. */
public sealed interface Outcome {

    Outcome DELIVERED = new Delivered();

    /** The receiver has it. */
    record Delivered() implements Outcome {}

    /** It was not delivered, for a reason that an operator can search for and act on. */
    sealed interface Failure extends Outcome {

        ErrorClass errorClass();

        String reason();
    }

    /**
     * It failed in a way that may pass.
     *
     * @param after the receiver's wish when to try again
     */
    record Retry(
            ErrorClass errorClass, String reason, @Nullable Duration after) implements Failure {

        public Retry(ErrorClass errorClass, String reason) {
            this(errorClass, reason, null);
        }

        public Retry(String reason) {
            this(ErrorClass.UNKNOWN, reason, null);
        }
    }

    /** This event will never be taken. */
    record Reject(ErrorClass errorClass, String reason) implements Failure {

        public Reject(String reason) {
            this(ErrorClass.REJECTED, reason);
        }
    }

    /** The receiver cannot be reached at all; it says nothing about this event. */
    record Unavailable(ErrorClass errorClass, String reason) implements Failure {

        public Unavailable(String reason) {
            this(ErrorClass.REFUSED, reason);
        }
    }
}
