package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.event.FieldRules;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.inbox.ShortKey;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Makes an event of each record, also of one that is none: that one is rejected, whole. */
final class RecordReader {

    static final String SOURCE = "kafka";
    private static final String UNREADABLE = "unreadable";

    private final Function<ConsumerRecord<byte[], byte[]>, Event> decoder;

    RecordReader(Function<ConsumerRecord<byte[], byte[]>, Event> decoder) {
        this.decoder = decoder;
    }

    /** An error too: bytes that overflow the stack of a parser must not end the member. */
    FetchedRecord read(ConsumerRecord<byte[], byte[]> record, AssignedPartition partition) {
        try {
            return new FetchedRecord(record, partition, checked(decoder.apply(record)), null);
        } catch (RuntimeException | StackOverflowError | AssertionError e) {
            RejectedEventException why = new RejectedEventException(
                    "the record at " + partition + "@" + record.offset() + " is no event: " + reason(e), e);
            return new FetchedRecord(record, partition, standIn(record), why);
        }
    }

    /** What the inbox knows it by has to fit a row. */
    private static Event checked(@Nullable Event event) {
        if (event == null) {
            throw new IllegalArgumentException("the reader gave none");
        }
        if (!FieldRules.isStorable(event.source())) {
            throw new IllegalArgumentException("its source holds a control character or half a surrogate pair");
        }
        return event;
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

    static String place(ConsumerRecord<byte[], byte[]> record) {
        return record.topic() + '/' + record.partition() + '/' + record.offset();
    }

    private static @Nullable String key(byte @Nullable [] bytes) {
        String key = bytes == null ? "" : new String(bytes, UTF_8);
        return key.isEmpty() || !FieldRules.isStorable(key) ? null : ShortKey.of(key);
    }
}
