package dev.posthorn.http.auth;

import java.io.Serial;

/**
 * There is nothing to show to the receiver at present; the event is not to blame and waits. Without a stack, as one
 * goes to all who wait, and without a cause, whose message could hold a secret.
 */
public final class CredentialsUnavailable extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    CredentialsUnavailable(String reason) {
        super(reason, null, false, false);
    }
}
