package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.event.Marks;
import dev.posthorn.event.RecordedEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** Makes an event a Kafka record, in the binary form of CloudEvents' Kafka protocol binding. For one thread. */
final class RecordEncoder {

    private static final Header SPEC_VERSION = new RecordHeader("ce_specversion", "1.0".getBytes(UTF_8));

    /** An event's own header of such a name is left out: it must not pass for what Posthorn says about the event. */
    private static final Set<String> OURS = Set.of(
            "ce_specversion",
            "ce_id",
            "ce_posthornid",
            "ce_type",
            "ce_source",
            "ce_time",
            "ce_subject",
            "ce_partitionkey",
            "ce_aggregatetype",
            "ce_eventversion",
            "ce_datacontenttype",
            "content-type");

    private static final int USUAL_HEADERS = 12;

    private final TextHeader type = new TextHeader("ce_type");
    private final TextHeader source = new TextHeader("ce_source");
    private final TextHeader aggregateType = new TextHeader("ce_aggregatetype");
    private final TextHeader version = new TextHeader("ce_eventversion");
    private final TextHeader contentType = new TextHeader("content-type");
    private final TimeText time = new TimeText();

    /** Whether a header says what Posthorn says about the event. */
    static boolean isOurs(String header) {
        return OURS.contains(header.toLowerCase(Locale.ROOT));
    }

    static byte @Nullable [] key(Event event) {
        String key = event.key();
        return key == null ? null : key.getBytes(UTF_8);
    }

    /**
     * The record's time is left to the producer: it decides about the topic's retention, so that an old event would be
     * deleted as soon as it arrived, and one from the future refused.
     */
    ProducerRecord<byte[], byte[]> encode(RecordedEvent recorded, String topic, byte @Nullable [] key) {
        Event event = recorded.event();
        return new ProducerRecord<>(topic, null, null, key, event.payload(), headers(recorded, event, key));
    }

    private List<Header> headers(RecordedEvent recorded, Event event, byte @Nullable [] key) {
        List<Header> headers = new ArrayList<>(USUAL_HEADERS + event.headers().size());
        headers.add(SPEC_VERSION);
        headers.add(new RecordHeader("ce_id", event.givenId().getBytes(UTF_8)));
        headers.add(type.of(event.type()));
        headers.add(source.of(event.source()));
        headers.add(new RecordHeader("ce_time", time.of(occurredAt(recorded, event))));
        headers.add(version.of(Integer.toString(event.version())));
        headers.add(contentType.of(event.contentType()));
        if (key != null) {
            headers.add(new RecordHeader("ce_subject", key));
            headers.add(new RecordHeader("ce_partitionkey", key));
        }
        if (event.aggregateType() != null) {
            headers.add(aggregateType.of(event.aggregateType()));
        }
        if (event.sourceId() != null) {
            headers.add(new RecordHeader("ce_posthornid", event.id().toString().getBytes(UTF_8)));
        }
        addOwn(event.headers(), headers);
        recorded.marks().forEach((name, value) -> headers.add(new RecordHeader(name, value.getBytes(UTF_8))));
        return headers;
    }

    private static Instant occurredAt(RecordedEvent recorded, Event event) {
        Instant occurredAt = event.occurredAt();
        return occurredAt == null ? recorded.createdAt() : occurredAt;
    }

    private static void addOwn(Map<String, String> own, List<Header> headers) {
        for (Map.Entry<String, String> header : own.entrySet()) {
            if (!isOurs(header.getKey()) && !Marks.isOne(header.getKey())) {
                headers.add(new RecordHeader(header.getKey(), header.getValue().getBytes(UTF_8)));
            }
        }
    }
}
