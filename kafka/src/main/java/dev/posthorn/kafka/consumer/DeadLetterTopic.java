package dev.posthorn.kafka.consumer;

import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.FailedAttempt;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dead letters in the topic {@code <topic>.DLT}: the record as it came, and headers that say why. A crash right after it
 * was written may write it again, with the same event id.
 */
final class DeadLetterTopic implements DeadLetterTarget {

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
    public void keep(FetchedRecord fetched) throws Exception {
        List<FailedAttempt> attempts = fetched.failures();
        keep(fetched.record(), attempts.get(attempts.size() - 1), fetched.attempts());
        forget(fetched);
    }

    /** The same of one that was in no member's hands. */
    void keep(ConsumerRecord<byte[], byte[]> record, FailedAttempt last, int attempts) throws Exception {
        send(DeadLetterRecord.write(consumer, record, last, attempts));
    }

    /** To where it came from. */
    void sendBack(ConsumerRecord<byte[], byte[]> record) throws Exception {
        send(new ProducerRecord<>(record.topic(), null, record.key(), record.value(), record.headers()));
    }

    private void send(ProducerRecord<byte[], byte[]> record) throws Exception {
        producer.send(record).get(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    /** A row that stays is deleted when a member next begins with the partition, behind the record. */
    private void forget(FetchedRecord fetched) {
        try {
            consumption.forget(List.of(CrashTracker.attempt(fetched)));
        } catch (Exception e) {
            log.debug("Consumer {}: the attempts of {} are forgotten later", consumer, fetched.place(), e);
        }
    }

    @Override
    public void close() {
        producer.close(CLOSE_WITHIN);
    }
}
