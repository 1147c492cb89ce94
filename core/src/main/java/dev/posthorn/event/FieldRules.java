package dev.posthorn.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules for an event's fields. Every refusal names the field, the rule, and what was given. */
public final class FieldRules {

    static final int MAX_NAME = 255;

    /** In UTF-8, which is what tables, indexes and brokers count. */
    static final int MAX_KEY_BYTES = 1024;

    /** Visible ASCII without the wildcard of filters: fits a topic template, a URI reference and a header. */
    private static final Pattern NAME = Pattern.compile("[!-)+-~]+");

    private static final Pattern CONTENT_TYPE = Pattern.compile("[!-~]+/[!-~]+( ?;[ -~]*)?");
    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant TOO_LATE = Instant.parse("+10000-01-01T00:00:00Z");

    private FieldRules() {}

    static String name(String field, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            throw refuse(field + " is missing; every event needs one");
        }
        return optionalName(field, value);
    }

    static String optionalName(String field, String value) {
        if (value.isEmpty()) {
            throw refuse(field + " is empty; leave it out instead");
        }
        if (value.length() > MAX_NAME) {
            throw refuse(field + " has " + value.length() + " characters; the limit is " + MAX_NAME);
        }
        if (!NAME.matcher(value).matches()) {
            throw refuse(field + " '" + printable(value)
                    + "' may hold only visible ASCII characters, without spaces and without '*'");
        }
        return value;
    }

    static String text(String field, String value, int limit) {
        if (value.isEmpty()) {
            throw refuse(field + " is empty; leave it out instead");
        }
        if (value.length() > limit) {
            throw refuse(field + " has " + value.length() + " characters; the limit is " + limit);
        }
        if (!isStorable(value)) {
            throw refuse(field + " '" + printable(value) + "' holds a control character or half a surrogate pair");
        }
        return value;
    }

    static String key(String value) {
        int bytes = value.getBytes(UTF_8).length;
        if (bytes > MAX_KEY_BYTES) {
            throw refuse(
                    "key '" + printable(value) + "' has " + bytes + " bytes in UTF-8; the limit is " + MAX_KEY_BYTES);
        }
        return text("key", value, MAX_KEY_BYTES);
    }

    static String contentType(String value) {
        if (value.length() > MAX_NAME || !CONTENT_TYPE.matcher(value).matches()) {
            throw refuse("contentType '" + printable(value) + "' is not a media type like application/json (at most "
                    + MAX_NAME + " characters)");
        }
        return value;
    }

    static int version(int value) {
        if (value < 1) {
            throw refuse("version is " + value + "; it must be at least 1");
        }
        return value;
    }

    /**
     * Cut to what PostgreSQL stores, which would round it, past the last year at worst. Beyond these years Java and
     * PostgreSQL write a time differently.
     */
    static @Nullable Instant time(String field, @Nullable Instant value) {
        if (value != null && (value.isBefore(EARLIEST) || !value.isBefore(TOO_LATE))) {
            throw refuse(field + " is " + value + "; it must be in the years 1 to 9999");
        }
        return value == null ? null : value.truncatedTo(ChronoUnit.MICROS);
    }

    static byte[] payload(byte @Nullable [] value) {
        if (value == null) {
            throw refuse("payload is missing; every event needs one (an empty array is allowed)");
        }
        return value;
    }

    static Map<String, String> headers(Map<String, String> headers) {
        headers.forEach(FieldRules::header);
        return Map.copyOf(headers);
    }

    /** Whether an event may carry it; for those who would rather go without a header than without the event. */
    public static boolean isHeader(String name, String value) {
        return isHeaderName(name) && isStorable(value);
    }

    private static boolean isHeaderName(String name) {
        return name.length() <= MAX_NAME && HEADER_NAME.matcher(name).matches();
    }

    private static void header(String name, String value) {
        if (!isHeaderName(name)) {
            throw refuse("header name '" + printable(name) + "' is not a token of at most " + MAX_NAME
                    + " characters (letters, digits and !#$%&'*+.^_`|~-)");
        }
        if (Marks.isOne(name)) {
            throw refuse("header " + name + " begins with posthorn-, by which Posthorn marks deliveries; choose another"
                    + " name");
        }
        if (!isStorable(value)) {
            throw refuse("header " + name + " holds a control character or half a surrogate pair");
        }
    }

    /** PostgreSQL stores no NUL and no lone surrogate, and a line break in a header would forge another one. */
    public static boolean isStorable(String value) {
        return value.codePoints()
                .noneMatch(c ->
                        Character.isISOControl(c) || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    }

    private static String printable(String value) {
        String shown = value.length() > 80 ? value.substring(0, 80) + "…" : value;
        return shown.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
    }

    static PosthornException refuse(String message) {
        return new PosthornException(ErrorCode.INVALID_EVENT, message);
    }
}
