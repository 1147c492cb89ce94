package dev.posthorn.sink;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What became of one event at a sink. An expected failure is a value, never an exception. */
public sealed interface Outcome {

    Outcome DELIVERED = new Delivered(null);

    /** What the receiver said, if it said anything worth keeping. */
    @Nullable
    Reply reply();

    /** The receiver has it. */
    record Delivered(@Nullable Reply reply) implements Outcome {}

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
            ErrorClass errorClass,
            String reason,
            @Nullable Duration after,
            @Nullable Reply reply) implements Failure {

        public Retry {
            Objects.requireNonNull(errorClass, "errorClass");
        }

        public Retry(ErrorClass errorClass, String reason) {
            this(errorClass, reason, null, null);
        }

        public Retry(String reason) {
            this(ErrorClass.UNKNOWN, reason);
        }
    }

    /** This event will never be taken. */
    record Reject(
            ErrorClass errorClass, String reason, @Nullable Reply reply) implements Failure {

        public Reject {
            Objects.requireNonNull(errorClass, "errorClass");
        }

        public Reject(ErrorClass errorClass, String reason) {
            this(errorClass, reason, null);
        }

        public Reject(String reason) {
            this(ErrorClass.REJECTED, reason);
        }
    }

    /** The receiver cannot be reached at all; it says nothing about this event. */
    record Unavailable(
            ErrorClass errorClass, String reason, @Nullable Reply reply) implements Failure {

        public Unavailable {
            Objects.requireNonNull(errorClass, "errorClass");
        }

        public Unavailable(ErrorClass errorClass, String reason) {
            this(errorClass, reason, null);
        }

        public Unavailable(String reason) {
            this(ErrorClass.REFUSED, reason);
        }
    }

    /**
     * The receiver wants no more events, this one or another, until somebody has seen to it: the subscription is to be
     * paused.
     */
    record Gone(String reason, @Nullable Reply reply) implements Failure {

        @Override
        public ErrorClass errorClass() {
            return ErrorClass.GONE;
        }
    }
}
