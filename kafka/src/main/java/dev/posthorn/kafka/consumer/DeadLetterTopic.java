package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.FailedAttempt;
import dev.posthorn.sink.Storable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dead letters in the topic {@code <topic>.DLT}: the record as it came, and headers that say why. A crash right after it
 * was written may write it again, with the same event id.
 */
final class DeadLetterTopic implements DeadEnd {

    static final String SUFFIX = ".DLT";
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    private final String consumer;
    private final Consumption consumption;
    private final long timeoutMillis;
    private final Producer<byte[], byte[]> producer;

    DeadLetterTopic(String consumer, Consumption consumption, Map<String, Object> settings, Duration timeout) {
        this.consumer = consumer;
        this.consumption = consumption;
        this.timeoutMillis = timeout.toMillis();
        this.producer = new KafkaProducer<>(settings);
    }

    @Override
    public void keep(Taken taken) throws Exception {
        ConsumerRecord<byte[], byte[]> record = taken.record();
        ProducerRecord<byte[], byte[]> letter = new ProducerRecord<>(
                record.topic() + SUFFIX, null, record.key(), record.value(), headers(record, taken));
        producer.send(letter).get(timeoutMillis, TimeUnit.MILLISECONDS);
        forget(taken);
    }

    /** A row that stays is deleted when a member next begins with the partition, behind the record. */
    private void forget(Taken taken) {
        try {
            consumption.forget(List.of(Care.attempt(taken)));
        } catch (Exception e) {
            log.debug("Consumer {}: the attempts of {} are forgotten later", consumer, taken.place(), e);
        }
    }

    private List<Header> headers(ConsumerRecord<byte[], byte[]> record, Taken taken) {
        List<FailedAttempt> attempts = taken.failures();
        FailedAttempt last = attempts.get(attempts.size() - 1);
        List<Header> headers = new ArrayList<>(List.of(record.headers().toArray()));
        headers.add(header("consumer", consumer));
        headers.add(header("error-class", last.errorClass().label()));
        headers.add(header("error-message", String.valueOf(Storable.text(last.reason()))));
        headers.add(header("attempts", Integer.toString(taken.attempts())));
        headers.add(header("failed-at", Instant.now().toString()));
        headers.add(header("topic", record.topic()));
        headers.add(header("partition", Integer.toString(record.partition())));
        headers.add(header("offset", Long.toString(record.offset())));
        return headers;
    }

    private static Header header(String name, String value) {
        return new RecordHeader("posthorn-dead-letter-" + name, value.getBytes(UTF_8));
    }

    @Override
    public void close() {
        producer.close(CLOSE_WITHIN);
    }
}
