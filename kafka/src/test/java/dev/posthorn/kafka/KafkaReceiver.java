package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.sink.Sink;
import dev.posthorn.sink.contract.Receiver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A new topic of a broker behind a kafka.gate(). It takes no large records. */
final class KafkaReceiver implements Receiver {

    private final KafkaBehindGate kafka;
    private final String topic;
    private final List<Event> arrived = new ArrayList<>();

    KafkaReceiver(KafkaBehindGate kafka, String topic) {
        this.kafka = kafka;
        this.topic = topic;
        kafka.createTopic(topic, 4, Map.of("max.message.bytes", "10000"));
    }

    /** Small batches: they are measured by the topic's limit too. */
    @Override
    public Sink sink() {
        return KafkaSink.builder(kafka.bootstrapServers())
                .topic(topic)
                .setting("batch.size", "4096")
                .build();
    }

    @Override
    public Optional<Sink> sinkToNowhere(String secret) {
        return Optional.of(KafkaSink.builder("127.0.0.1:1")
                .setting("security.protocol", "SASL_PLAINTEXT")
                .setting("sasl.mechanism", "PLAIN")
                .setting(
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"posthorn\" password=\""
                                + secret + "\";")
                .build());
    }

    @Override
    public Optional<Event> refusedEvent(String key) {
        return Optional.of(Event.builder()
                .source("shop")
                .type("order.placed")
                .key(key)
                .json(KafkaSinkFailuresTest.noise(40_000))
                .build());
    }

    @Override
    public List<Event> arrived() {
        kafka.readOn().forEach(record -> arrived.add(read(record)));
        return List.copyOf(arrived);
    }

    private static Event read(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new HashMap<>();
        record.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        String id = headers.get("ce_id");
        String ours = headers.get("ce_posthornid");
        return new Event(
                UUID.fromString(ours == null ? id : ours),
                ours == null ? null : id,
                headers.get("ce_source"),
                headers.get("ce_type"),
                Integer.parseInt(headers.get("ce_eventversion")),
                headers.get("ce_aggregatetype"),
                record.key() == null ? null : new String(record.key(), UTF_8),
                headers.get("content-type"),
                record.value(),
                headers,
                Instant.parse(headers.get("ce_time")),
                null);
    }

    @Override
    public void leave() {
        kafka.gate().leave();
    }

    @Override
    public void fallSilent() {
        kafka.gate().fallSilent();
    }

    @Override
    public void comeBack() {
        kafka.gate().comeBack();
    }

    @Override
    public void close() {
        kafka.gate().comeBack();
    }
}
