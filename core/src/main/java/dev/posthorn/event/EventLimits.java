package dev.posthorn.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.util.Map;

/**
 * How large an event may be. The defaults keep a batch of a thousand events well inside a JVM's memory and a broker's
 * usual message limit.
 */
public record EventLimits(int maxPayloadBytes, int maxHeaders, int maxHeaderBytes) {

    public static final EventLimits DEFAULT = new EventLimits(1 << 20, 64, 16 << 10);

    public EventLimits {
        requirePositive("maxPayloadBytes", maxPayloadBytes);
        requirePositive("maxHeaders", maxHeaders);
        requirePositive("maxHeaderBytes", maxHeaderBytes);
    }

    /** Refuses an event that is larger than this allows, by name of the field and the limit. */
    public void check(Event event) {
        int payload = event.payload().length;
        if (payload > maxPayloadBytes) {
            throw FieldRules.refuse("payload has " + payload + " bytes; the limit is " + maxPayloadBytes
                    + " (EventLimits.maxPayloadBytes). Store large content elsewhere and record a reference to it");
        }
        Map<String, String> headers = event.headers();
        if (headers.size() > maxHeaders) {
            throw FieldRules.refuse(
                    "headers: " + headers.size() + " given; the limit is " + maxHeaders + " (EventLimits.maxHeaders)");
        }
        int bytes = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            bytes += header.getKey().length() + header.getValue().getBytes(UTF_8).length;
        }
        if (bytes > maxHeaderBytes) {
            throw FieldRules.refuse("headers have " + bytes + " bytes in all; the limit is " + maxHeaderBytes
                    + " (EventLimits.maxHeaderBytes)");
        }
    }

    Event checked(Event event) {
        check(event);
        return event;
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new PosthornException(
                    ErrorCode.INVALID_SETTING, "event limit " + name + " is " + value + "; it must be at least 1");
        }
    }

    public EventLimits withMaxPayloadBytes(int bytes) {
        return new EventLimits(bytes, maxHeaders, maxHeaderBytes);
    }
}
