package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.FieldRules;
import dev.posthorn.event.Marks;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Makes an event of a Kafka record in the form in which {@link KafkaSink} writes it. */
public final class RecordDecoder {

    private RecordDecoder() {}

    /**
     * The event of a record; headers that are not CloudEvents' own are the event's, without those that no event may
     * carry: a name that is no token, a value that is no text. Its time, version and content type may be missing.
     *
     * @throws PosthornException if it is none; the message says what is wrong with it
     */
    public static Event decode(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = headers(record);
        Event.Builder event = Event.builder()
                .source(required("ce_source", headers))
                .id(required("ce_id", headers))
                .type(required("ce_type", headers))
                .version(version(headers.get("ce_eventversion")))
                .aggregateType(headers.get("ce_aggregatetype"))
                .key(key(record, headers))
                .payload(record.value() == null ? new byte[0] : record.value());
        putTime(event, headers.get("ce_time"));
        if (headers.get("content-type") != null) {
            event.contentType(headers.get("content-type"));
        }
        headers.forEach((name, value) -> {
            if (!RecordEncoder.isOurs(name) && !Marks.isOne(name)) {
                event.header(name, value);
            }
        });
        return withMarks(event.build(), headers);
    }

    /** As our sink writes them, in lower case; an event by itself could not have them. */
    private static Event withMarks(Event event, Map<String, String> headers) {
        Map<String, String> marked = new HashMap<>(event.headers());
        headers.forEach((name, value) -> {
            if (Marks.isOne(name) && name.equals(name.toLowerCase(Locale.ROOT))) {
                marked.put(name, value);
            }
        });
        return marked.size() == event.headers().size() ? event : event.withHeaders(marked);
    }

    /** CloudEvents' names in lower case, since others write them as they like. */
    private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new HashMap<>();
        for (Header header : record.headers()) {
            if (header.value() != null) {
                put(headers, header.key(), header.value());
            }
        }
        return headers;
    }

    /** What others have added is no reason to refuse the event. */
    private static void put(Map<String, String> headers, String name, byte[] value) {
        String text = new String(value, UTF_8);
        if (RecordEncoder.isOurs(name)) {
            headers.put(name.toLowerCase(Locale.ROOT), text);
        } else if (FieldRules.isHeader(name, text) && Arrays.equals(text.getBytes(UTF_8), value)) {
            headers.put(name, text);
        }
    }

    private static @Nullable String key(ConsumerRecord<byte[], byte[]> record, Map<String, String> headers) {
        String key = record.key() == null ? headers.get("ce_partitionkey") : new String(record.key(), UTF_8);
        return key == null || key.isEmpty() ? null : key;
    }

    private static void putTime(Event.Builder event, @Nullable String time) {
        if (time == null) {
            return;
        }
        try {
            event.occurredAt(Instant.parse(time));
        } catch (DateTimeException e) {
            throw refuse("header ce_time is '" + time + "', which is no time such as 2026-01-31T12:00:00Z");
        }
    }

    private static int version(@Nullable String version) {
        try {
            return version == null ? 1 : Integer.parseInt(version);
        } catch (NumberFormatException e) {
            throw refuse("header ce_eventversion is '" + version + "', which is no number");
        }
    }

    private static String required(String name, Map<String, String> headers) {
        String value = headers.get(name);
        if (value == null) {
            throw refuse("header " + name + " is missing: it is no CloudEvent in the binary form");
        }
        return value;
    }

    private static PosthornException refuse(String message) {
        return new PosthornException(ErrorCode.INVALID_EVENT, message);
    }
}
