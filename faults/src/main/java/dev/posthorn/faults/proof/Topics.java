package dev.posthorn.faults.proof;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Topics as relays fill them. */
final class Topics {

    private Topics() {}

    static Sink sink(String bootstrapServers, String topic) {
        return KafkaSink.builder(bootstrapServers).topic(topic).build();
    }

    /** The ids of the events in a topic at this moment, repetitions too, each partition in its order. */
    static List<UUID> ids(String bootstrapServers, String topic) {
        try (var consumer = consumer(bootstrapServers, Map.of())) {
            List<TopicPartition> partitions = partitions(consumer, topic);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            List<UUID> ids = new ArrayList<>();
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> ids.add(id(record)));
            }
            return ids;
        }
    }

    /** A group that has not begun begins with what comes from now on. */
    static void beginAtTheEnd(String bootstrapServers, String topic, String group) {
        try (var consumer = consumer(bootstrapServers, Map.of("group.id", group))) {
            Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
            consumer.endOffsets(partitions(consumer, topic))
                    .forEach((partition, end) -> ends.put(partition, new OffsetAndMetadata(end)));
            consumer.commitSync(ends);
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers, Map<String, String> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", bootstrapServers);
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
    }

    private static UUID id(ConsumerRecord<byte[], byte[]> record) {
        return UUID.fromString(new String(record.headers().lastHeader("ce_id").value(), ISO_8859_1));
    }
}
