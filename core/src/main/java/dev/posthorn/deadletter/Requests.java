package dev.posthorn.deadletter;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The rules for what people ask with. Every refusal names the field, the rule, and what was given. */
final class Requests {

    static final int MAX_NAME = 255;
    static final int MAX_TEXT = 1_000;

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant TOO_LATE = Instant.parse("+10000-01-01T00:00:00Z");

    private Requests() {}

    static String required(String field, @Nullable String value, int limit, String remedy) {
        if (value == null || value.isBlank()) {
            throw refuse(field + " is missing; " + remedy);
        }
        return text(field, value, limit);
    }

    static String text(String field, String value, int limit) {
        if (value.isEmpty()) {
            throw refuse(field + " is empty; leave it out instead");
        }
        if (value.length() > limit) {
            throw refuse(field + " has " + value.length() + " characters; the limit is " + limit);
        }
        if (value.indexOf('\0') >= 0) {
            throw refuse(field + " holds a NUL character, which PostgreSQL cannot store; leave it out");
        }
        return value;
    }

    /** Beyond these years Java and PostgreSQL write a time differently. */
    static Instant time(String field, Instant value) {
        if (value.isBefore(EARLIEST) || !value.isBefore(TOO_LATE)) {
            throw refuse(field + " is " + value + "; it must be in the years 1 to 9999");
        }
        return value;
    }

    static int between(String field, int value, int least, int most) {
        if (value < least || value > most) {
            throw refuse(field + " is " + value + "; it must be from " + least + " to " + most);
        }
        return value;
    }

    static PosthornException refuse(String message) {
        return new PosthornException(ErrorCode.INVALID_REQUEST, message);
    }

    static PosthornException notFound(String message) {
        return new PosthornException(ErrorCode.NOT_FOUND, message);
    }

    static PosthornException conflict(String message) {
        return new PosthornException(ErrorCode.CONFLICT, message);
    }
}
