package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.event.FieldRules;
import dev.posthorn.inbox.RejectedEventException;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Makes an event of each record, also of one that is none: that one is rejected, whole. */
final class Reading {

    private static final String SOURCE = "kafka";
    private static final String UNREADABLE = "unreadable";

    private final Function<ConsumerRecord<byte[], byte[]>, Event> reader;

    Reading(Function<ConsumerRecord<byte[], byte[]>, Event> reader) {
        this.reader = reader;
    }

    Taken read(ConsumerRecord<byte[], byte[]> record, Assigned partition) {
        try {
            return new Taken(record, partition, reader.apply(record), null);
        } catch (RuntimeException e) {
            RejectedEventException why = new RejectedEventException(
                    "the record at " + partition + "@" + record.offset() + " is no event: " + e.getMessage(), e);
            return new Taken(record, partition, standIn(record), why);
        }
    }

    /** Known by its place in the topic, which is the same whenever it comes again. */
    private static Event standIn(ConsumerRecord<byte[], byte[]> record) {
        String place = record.topic() + '/' + record.partition() + '/' + record.offset();
        return new Event(
                EventIds.named(SOURCE, place),
                place,
                SOURCE,
                UNREADABLE,
                1,
                null,
                key(record.key()),
                "application/octet-stream",
                record.value() == null ? new byte[0] : record.value(),
                Map.of(),
                null,
                null);
    }

    private static @Nullable String key(byte @Nullable [] bytes) {
        String key = bytes == null ? "" : new String(bytes, UTF_8);
        return key.isEmpty() || !FieldRules.isStorable(key) ? null : key;
    }
}
