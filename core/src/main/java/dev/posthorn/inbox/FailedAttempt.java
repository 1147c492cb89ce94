package dev.posthorn.inbox;

import dev.posthorn.sink.ErrorClass;
import java.time.Duration;

/**
 * A call of a handler that did not go well.
 *
 * @param startedNanos when it began, by {@link System#nanoTime()}
 */
public record FailedAttempt(long startedNanos, Duration took, Throwable failure) {

    /** Ends now. */
    public static FailedAttempt since(long startedNanos, Throwable failure) {
        return new FailedAttempt(startedNanos, Duration.ofNanos(System.nanoTime() - startedNanos), failure);
    }

    public ErrorClass errorClass() {
        return failure instanceof RejectedEventException ? ErrorClass.REJECTED : ErrorClass.UNKNOWN;
    }

    /** What went wrong, with the name of the exception unless it is the handler's own word. */
    public String reason() {
        if (failure instanceof RejectedEventException) {
            return String.valueOf(failure.getMessage());
        }
        String message = failure.getMessage();
        String name = failure.getClass().getName();
        return message == null ? name : name + ": " + message;
    }
}
