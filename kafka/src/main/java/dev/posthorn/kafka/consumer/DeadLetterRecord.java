package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.EventIds;
import dev.posthorn.inbox.FailedAttempt;
import dev.posthorn.sink.Storable;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** A dead letter in a topic: a record as it came, and headers that say who could not take it, and why. */
final class DeadLetterRecord {

    static final String SUFFIX = ".DLT";

    private static final String PREFIX = "posthorn-dead-letter-";
    private static final List<String> NAMES = List.of(
            "consumer", "error-class", "error-message", "attempts", "failed-at", "topic", "partition", "offset");

    private final ConsumerRecord<byte[], byte[]> record;

    private DeadLetterRecord(ConsumerRecord<byte[], byte[]> record) {
        this.record = record;
    }

    /** The letter that a record is, if it is one of this consumer's: others have theirs in the same topic. */
    static Optional<DeadLetterRecord> of(ConsumerRecord<byte[], byte[]> record, String consumer) {
        DeadLetterRecord letter = new DeadLetterRecord(record);
        return consumer.equals(letter.header("consumer")) ? Optional.of(letter) : Optional.empty();
    }

    /** What is written about a record that the consumer could not take. */
    static ProducerRecord<byte[], byte[]> write(
            String consumer, ConsumerRecord<byte[], byte[]> record, FailedAttempt last, int attempts) {
        List<Header> headers = new ArrayList<>(List.of(record.headers().toArray()));
        headers.add(header("consumer", consumer));
        headers.add(header("error-class", last.errorClass().label()));
        headers.add(header("error-message", String.valueOf(Storable.text(last.reason()))));
        headers.add(header("attempts", Integer.toString(attempts)));
        headers.add(header("failed-at", Instant.now().toString()));
        headers.add(header("topic", record.topic()));
        headers.add(header("partition", Integer.toString(record.partition())));
        headers.add(header("offset", Long.toString(record.offset())));
        return new ProducerRecord<>(record.topic() + SUFFIX, null, record.key(), record.value(), headers);
    }

    private static Header header(String name, String value) {
        return new RecordHeader(PREFIX + name, value.getBytes(UTF_8));
    }

    /** Null if it does not say so. */
    private @Nullable String header(String name) {
        Header header = record.headers().lastHeader(PREFIX + name);
        return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
    }

    /** With its time: a topic that was deleted and made again has other records at the same places. */
    UUID id() {
        return EventIds.named(RecordReader.SOURCE, RecordReader.place(record) + '@' + record.timestamp());
    }

    String errorClass() {
        return String.valueOf(header("error-class"));
    }

    String errorMessage() {
        return String.valueOf(header("error-message"));
    }

    /** When it failed last; when it was written if it does not say. */
    Instant failedAt() {
        try {
            return Instant.parse(String.valueOf(header("failed-at")));
        } catch (DateTimeException notATime) {
            return Instant.ofEpochMilli(record.timestamp());
        }
    }

    int attempts() {
        return (int) number("attempts", 0);
    }

    /** A header may be missing where others have written it. */
    private long number(String name, long otherwise) {
        try {
            return Long.parseLong(String.valueOf(header(name)));
        } catch (NumberFormatException notANumber) {
            return otherwise;
        }
    }

    /**
     * The record as it was before it was a letter, in its own place. The topic is that of the letter, not what a header says:
     * it is written to.
     */
    ConsumerRecord<byte[], byte[]> original() {
        String topic = record.topic().substring(0, record.topic().length() - SUFFIX.length());
        return new ConsumerRecord<>(
                topic,
                (int) number("partition", record.partition()),
                number("offset", record.offset()),
                record.timestamp(),
                TimestampType.CREATE_TIME,
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                new RecordHeaders(ownHeaders()),
                Optional.empty());
    }

    /** The last of each name only: the record may have been a letter before. */
    private List<Header> ownHeaders() {
        List<Header> headers = new ArrayList<>(List.of(record.headers().toArray()));
        for (String name : NAMES) {
            Header last = record.headers().lastHeader(PREFIX + name);
            headers.removeIf(each -> each == last);
        }
        return headers;
    }
}
