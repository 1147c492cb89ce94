package dev.posthorn.error;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The rules for what people ask with. Every refusal names the field, the rule, and what was given. */
public final class Requests {

    public static final int MAX_NAME = 255;
    public static final int MAX_KEY = 1_024;
    public static final int MAX_TEXT = 1_000;
    public static final int MAX_PAGE_SIZE = 1_000;

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant TOO_LATE = Instant.parse("+10000-01-01T00:00:00Z");

    private Requests() {}

    public static String required(String field, @Nullable String value, int limit, String remedy) {
        if (value == null || value.isBlank()) {
            throw refuse(field + " is missing; " + remedy);
        }
        return text(field, value, limit);
    }

    public static String text(String field, String value, int limit) {
        if (value.isBlank()) {
            throw refuse(field + " is empty; leave it out instead");
        }
        if (value.length() > limit) {
            throw refuse(field + " has " + value.length() + " characters; the limit is " + limit);
        }
        if (value.codePoints().anyMatch(Requests::isUnstorable)) {
            throw refuse(field + " holds a NUL character or half a surrogate pair, which PostgreSQL cannot store; leave"
                    + " it out");
        }
        return value;
    }

    public static @Nullable String optional(String field, @Nullable String value, int limit) {
        return value == null ? null : text(field, value, limit);
    }

    private static boolean isUnstorable(int codePoint) {
        return codePoint == 0 || (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
    }

    /** Beyond these years Java and PostgreSQL write a time differently. */
    public static Instant time(String field, Instant value) {
        if (value.isBefore(EARLIEST) || !value.isBefore(TOO_LATE)) {
            throw refuse(field + " is " + value + "; it must be in the years 1 to 9999");
        }
        return value;
    }

    public static int between(String field, int value, int least, int most) {
        if (value < least || value > most) {
            throw refuse(field + " is " + value + "; it must be from " + least + " to " + most);
        }
        return value;
    }

    public static int pageSize(int size) {
        return between("pageSize", size, 1, MAX_PAGE_SIZE);
    }

    public static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw refuse(otherwise);
        }
    }

    public static PosthornException refuse(String message) {
        return new PosthornException(ErrorCode.INVALID_REQUEST, message);
    }

    public static PosthornException notFound(String message) {
        return new PosthornException(ErrorCode.NOT_FOUND, message);
    }

    public static PosthornException conflict(String message) {
        return new PosthornException(ErrorCode.CONFLICT, message);
    }
}
