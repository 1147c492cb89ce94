package dev.posthorn.server.ingest;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The W3C trace context of a call, which becomes that of its events so that one trace runs from the producer to the
 * subscriber. What is not valid is left out: a trace is never a reason to refuse an event.
 */
public final class TraceContext {

    /** A call that is not traced. */
    public static final TraceContext NONE = new TraceContext(null, null);

    public static final String TRACEPARENT = "traceparent";
    public static final String TRACESTATE = "tracestate";

    private static final Pattern PARENT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private static final int PARENT_LENGTH = 55;
    private static final String FIRST_VERSION = "00-";
    private static final Pattern LATER_PARTS = Pattern.compile("-[!-~]{0,200}");
    private static final Pattern STATE = Pattern.compile("[!-~]([ -~]{0,510}[!-~])?");

    private final @Nullable String traceparent;
    private final @Nullable String tracestate;

    private TraceContext(@Nullable String traceparent, @Nullable String tracestate) {
        this.traceparent = traceparent;
        this.tracestate = tracestate;
    }

    /** From the call's two headers; without a valid traceparent the other means nothing. */
    public static TraceContext of(@Nullable String traceparent, @Nullable String tracestate) {
        if (traceparent == null || !isParent(traceparent)) {
            return NONE;
        }
        return new TraceContext(traceparent, tracestate != null && isState(tracestate) ? tracestate : null);
    }

    private static boolean isParent(String value) {
        if (value.length() <= PARENT_LENGTH) {
            return PARENT.matcher(value).matches();
        }
        // Versions to come may add parts at the end.
        return !value.startsWith(FIRST_VERSION)
                && PARENT.matcher(value.substring(0, PARENT_LENGTH)).matches()
                && LATER_PARTS.matcher(value.substring(PARENT_LENGTH)).matches();
    }

    private static boolean isState(String value) {
        return value.indexOf('=') > 0 && STATE.matcher(value).matches();
    }

    /** Adds it to an event's headers, unless the event brings a trace of its own: the two are never mixed. */
    public void addTo(Map<String, String> headers) {
        if (traceparent == null || headers.keySet().stream().anyMatch(TraceContext::isOurs)) {
            return;
        }
        headers.put(TRACEPARENT, traceparent);
        if (tracestate != null) {
            headers.put(TRACESTATE, tracestate);
        }
    }

    private static boolean isOurs(String name) {
        return name.equalsIgnoreCase(TRACEPARENT) || name.equalsIgnoreCase(TRACESTATE);
    }
}
