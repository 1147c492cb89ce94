package dev.posthorn.server.secrets;

import java.io.Serial;

/** Something cannot be decrypted; the message says why and what to do. Expected, so it has no stack trace. */
public final class LockedException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    LockedException(String reason) {
        super(reason, null, false, false);
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
