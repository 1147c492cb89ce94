package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.event.FieldRules;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.inbox.ShortKey;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
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

    /** An error too: bytes that overflow the stack of a parser must not end the member. */
    Taken read(ConsumerRecord<byte[], byte[]> record, Assigned partition) {
        try {
            return new Taken(
                    record, partition, Objects.requireNonNull(reader.apply(record), "the reader gave none"), null);
        } catch (RuntimeException | StackOverflowError | AssertionError e) {
            RejectedEventException why = new RejectedEventException(
                    "the record at " + partition + "@" + record.offset() + " is no event: " + reason(e), e);
            return new Taken(record, partition, standIn(record), why);
        }
    }

    private static String reason(Throwable e) {
        return e.getMessage() == null ? e.getClass().getName() : e.getMessage();
    }

    /** Known by its place in the topic, which is the same whenever it comes again. */
    private static Event standIn(ConsumerRecord<byte[], byte[]> record) {
        return bare(EventIds.named(SOURCE, place(record)), record, key(record.key()));
    }

    /** Nothing of the record but its value. */
    static Event bare(UUID id, ConsumerRecord<byte[], byte[]> record, @Nullable String key) {
        return new Event(
                id,
                place(record),
                SOURCE,
                UNREADABLE,
                1,
                null,
                key,
                "application/octet-stream",
                record.value() == null ? new byte[0] : record.value(),
                Map.of(),
                null,
                null);
    }

    private static String place(ConsumerRecord<byte[], byte[]> record) {
        return record.topic() + '/' + record.partition() + '/' + record.offset();
    }

    private static @Nullable String key(byte @Nullable [] bytes) {
        String key = bytes == null ? "" : new String(bytes, UTF_8);
        return key.isEmpty() || !FieldRules.isStorable(key) ? null : ShortKey.of(key);
    }
}
