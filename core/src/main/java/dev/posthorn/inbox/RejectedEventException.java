package dev.posthorn.inbox;

import java.io.Serial;

/** Thrown by a handler that will never take the event: it is not tried again but set aside at once. */
public final class RejectedEventException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public RejectedEventException(String reason) {
        super(reason);
    }

    public RejectedEventException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
