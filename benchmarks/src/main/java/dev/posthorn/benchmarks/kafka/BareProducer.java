package dev.posthorn.benchmarks.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A producer as one would write it by hand, with the settings of our sink and the same headers. For one thread. */
final class BareProducer implements AutoCloseable {

    private static final Header SPEC_VERSION = header("ce_specversion", "1.0");

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final Repeated type = new Repeated("ce_type");
    private final Repeated source = new Repeated("ce_source");
    private final Repeated version = new Repeated("ce_eventversion");
    private final Repeated contentType = new Repeated("content-type");
    private final Repeated aggregateType = new Repeated("ce_aggregatetype");
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    BareProducer(String bootstrapServers, String topic) {
        this.topic = topic;
        this.producer =
                new KafkaProducer<>(settings(bootstrapServers), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Those of the sink, in so far as they bear on its speed. */
    private static Map<String, Object> settings(String bootstrapServers) {
        return Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "enable.idempotence",
                true,
                "acks",
                "all",
                "max.in.flight.requests.per.connection",
                5,
                "compression.type",
                "lz4",
                "linger.ms",
                0,
                "batch.size",
                131_072,
                "buffer.memory",
                64L << 20,
                "max.request.size",
                2 << 20,
                "enable.metrics.push",
                false);
    }

    void send(Event event, Instant time) {
        byte[] key = bytes(event.key());
        List<Header> headers = new ArrayList<>(10);
        headers.add(SPEC_VERSION);
        headers.add(header("ce_id", event.id().toString()));
        headers.add(type.of(event.type()));
        headers.add(source.of(event.source()));
        headers.add(header("ce_time", time.toString()));
        headers.add(version.of(Integer.toString(event.version())));
        headers.add(contentType.of(event.contentType()));
        headers.add(new RecordHeader("ce_subject", key));
        headers.add(new RecordHeader("ce_partitionkey", key));
        headers.add(aggregateType.of(String.valueOf(event.aggregateType())));
        var unused = producer.send(
                new ProducerRecord<>(topic, null, null, key, event.payload(), headers), this::acknowledged);
    }

    private void acknowledged(@Nullable RecordMetadata metadata, @Nullable Exception e) {
        if (e != null) {
            failure.compareAndSet(null, e);
        }
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, bytes(value));
    }

    private static byte[] bytes(@Nullable String text) {
        return String.valueOf(text).getBytes(UTF_8);
    }

    /** A header that nearly always has the value it had before. */
    private static final class Repeated {
        private final String name;
        private String value = "";
        private Header header;

        Repeated(String name) {
            this.name = name;
            this.header = header(name, value);
        }

        Header of(String next) {
            if (!next.equals(value)) {
                value = next;
                header = header(name, next);
            }
            return header;
        }
    }

    /** Waits until everything sent is acknowledged. */
    void flush() {
        producer.flush();
        Exception first = failure.get();
        if (first != null) {
            throw new IllegalStateException("Kafka did not take everything: " + first.getMessage(), first);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
