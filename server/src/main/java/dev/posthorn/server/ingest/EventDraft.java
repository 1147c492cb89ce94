package dev.posthorn.server.ingest;

import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.server.json.ContentTypes;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An event while its fields come in, in whatever order. */
final class EventDraft {

    /** What callers call it: where one of these was refused, it is not missing. */
    private static final Set<String> DATA = Set.of("data", "dataBase64", "data_base64");

    private final Refusals refusals;
    private final Event.Builder event = Event.builder();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private @Nullable String contentType;
    private byte @Nullable [] json;
    private byte @Nullable [] bytes;
    private boolean identified;

    EventDraft(Refusals refusals) {
        this.refusals = refusals;
    }

    void id(@Nullable String id) {
        if (id != null) {
            identified = true;
            try {
                event.id(id);
            } catch (PosthornException e) {
                refusals.addFaults(List.of(String.valueOf(e.getMessage())));
            }
        }
    }

    void source(@Nullable String source) {
        if (source != null) {
            event.source(source);
        }
    }

    void type(@Nullable String type) {
        if (type != null) {
            event.type(type);
        }
    }

    void version(@Nullable Integer version) {
        if (version != null) {
            event.version(version);
        }
    }

    void aggregateType(@Nullable String aggregateType) {
        event.aggregateType(aggregateType);
    }

    void key(@Nullable String key) {
        event.key(key);
    }

    void contentType(@Nullable String contentType) {
        this.contentType = contentType;
    }

    void occurredAt(@Nullable String text) {
        Instant time = time("occurredAt", text);
        if (time != null) {
            event.occurredAt(time);
        }
    }

    void deliverAt(@Nullable String text) {
        event.deliverAt(time("deliverAt", text));
    }

    private @Nullable Instant time(String field, @Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            refusals.add(
                    refusals.name(field),
                    "must be a time with an offset, like 2026-11-15T18:30:00Z or 2026-11-15T19:30:00+01:00");
            return null;
        }
    }

    void header(String name, String value) {
        headers.put(name, value);
    }

    /** A JSON value, exactly as it was sent. */
    void json(byte @Nullable [] value) {
        json = value;
    }

    void bytes(byte[] value) {
        bytes = value;
    }

    void base64(String field, @Nullable String text) {
        if (text != null) {
            try {
                bytes = Base64.getDecoder().decode(text);
            } catch (IllegalArgumentException e) {
                refusals.add(field, "is not Base64; use the standard alphabet, with padding and without line breaks");
            }
        }
    }

    boolean hasId() {
        return identified;
    }

    boolean hasJson() {
        return json != null;
    }

    boolean hasBytes() {
        return bytes != null;
    }

    /** Whether the data is JSON by its content type; without one, a JSON value is. */
    boolean saysJson() {
        return contentType == null || ContentTypes.isJson(contentType);
    }

    byte @Nullable [] json() {
        return json;
    }

    /** The event, or null if something about it was refused: all of it is told, not the first alone. */
    @Nullable
    Event finish(EventLimits limits, TraceContext trace) {
        fill(limits, trace);
        if (!refusals.isItemRefused()) {
            try {
                Event built = event.build();
                limits.check(built);
                return built;
            } catch (PosthornException first) {
                // is among those below
            }
        }
        refusals.addFaults(event.faults(limits));
        return null;
    }

    private void fill(EventLimits limits, TraceContext trace) {
        event.payload(payload(limits));
        trace.addTo(headers);
        event.headers(headers);
        if (contentType != null) {
            event.contentType(contentType);
        } else if (json != null) {
            event.contentType(Event.JSON);
        }
    }

    private byte[] payload(EventLimits limits) {
        byte[] payload = json == null ? bytes : json;
        if (payload == null) {
            if (!refusals.isAnyRefused(DATA)) {
                refusals.add("data", "is missing; an event must have data");
            }
            return new byte[0];
        }
        if (payload.length > limits.maxPayloadBytes()) {
            refusals.addTooLarge(
                    "data",
                    "has " + payload.length + " bytes; the limit is " + limits.maxPayloadBytes()
                            + " (posthorn.limits.payload). Store large content elsewhere and publish a reference to it");
        }
        return payload;
    }
}
