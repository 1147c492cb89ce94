package dev.posthorn.error;

import java.io.Serial;
import java.sql.SQLException;

/** The only exception Posthorn throws of its own accord; {@link #code()} says which. */
public final class PosthornException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public PosthornException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    public PosthornException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** Wraps what PostgreSQL answered while doing {@code what}. */
    public static PosthornException database(String what, SQLException cause) {
        return new PosthornException(ErrorCode.DATABASE, what + " failed: " + cause.getMessage(), cause);
    }

    public ErrorCode code() {
        return code;
    }
}
