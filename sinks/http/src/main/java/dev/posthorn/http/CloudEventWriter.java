package dev.posthorn.http;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.text.Json;
import dev.posthorn.http.text.TimeText;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** An event as a CloudEvent: its attributes, and the JSON document that holds all of it. */
final class CloudEventWriter {

    /** Headers of an event that tell which trace it belongs to; as attributes they have the same names. */
    private static final List<String> TRACE = List.of("traceparent", "tracestate");

    private CloudEventWriter() {}

    /** Gives each attribute that the event has, by CloudEvents' names. */
    static void attributes(RecordedEvent recorded, BiConsumer<String, String> each) {
        Event event = recorded.event();
        String key = event.key();
        Instant occurredAt = event.occurredAt();
        each.accept("specversion", "1.0");
        each.accept("id", event.givenId());
        each.accept("type", event.type());
        each.accept("source", event.source());
        each.accept("time", TimeText.of(occurredAt == null ? recorded.createdAt() : occurredAt));
        each.accept("eventversion", Integer.toString(event.version()));
        give("subject", key, each);
        give("partitionkey", key, each);
        give("aggregatetype", event.aggregateType(), each);
        give("posthornid", event.sourceId() == null ? null : event.id().toString(), each);
    }

    private static void give(String name, @Nullable String value, BiConsumer<String, String> each) {
        if (value != null) {
            each.accept(name, value);
        }
    }

    /**
     * The structured form.
     *
     * @throws IllegalArgumentException if the payload says that it is JSON and is not
     */
    static byte[] json(RecordedEvent recorded) {
        Event event = recorded.event();
        String data = isJson(event.contentType()) ? Json.checked(event.payload()) : null;
        return Json.object(json -> {
            attributes(recorded, json::writeStringProperty);
            TRACE.forEach(name -> give(name, event.headers().get(name), json::writeStringProperty));
            json.writeStringProperty("datacontenttype", event.contentType());
            if (data == null) {
                json.writeBinaryProperty("data_base64", event.payload());
            } else {
                json.writeName("data").writeRawValue(data);
            }
        });
    }

    private static boolean isJson(String contentType) {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.equals(Event.JSON) || type.endsWith("+json");
    }
}
