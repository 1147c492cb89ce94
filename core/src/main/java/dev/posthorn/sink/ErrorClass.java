package dev.posthorn.sink;

import java.util.Arrays;
import java.util.Locale;

/** What kind of failure it was, so that people can search for it and group by it. */
public enum ErrorClass {
    /** Nobody took the connection. */
    REFUSED,
    /** No answer in time. */
    TIMEOUT,
    /** The receiver's name could not be resolved. */
    DNS,
    /** No secure connection came about. */
    TLS,
    /** The receiver does not know us, or does not let us. */
    AUTH,
    /** We may not send there: what the receiver's name stands for is not allowed. */
    FORBIDDEN,
    /** The event is larger than the receiver takes. */
    TOO_LARGE,
    /** The receiver found the event itself wrong. */
    INVALID,
    /** The receiver asks for less. */
    THROTTLED,
    /** The receiver failed. */
    SERVER_ERROR,
    /** The receiver does not want the event. */
    REJECTED,
    /** The receiver is no more, or wants nothing more. */
    GONE,
    /** The connection broke before the answer was whole. */
    DISCONNECTED,
    /** The event could not be written in the form that the receiver needs. */
    SERIALIZATION,
    /** The relay's own database would not take what was to be written about the event. */
    UNSTORABLE,
    UNKNOWN;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** Its name in tables, APIs and on screens, such as {@code too-large}. */
    public String label() {
        return label;
    }

    /** The one with that label; {@link #UNKNOWN} if there is none. */
    public static ErrorClass of(String label) {
        return Arrays.stream(values())
                .filter(each -> each.label.equals(label))
                .findFirst()
                .orElse(UNKNOWN);
    }
}
