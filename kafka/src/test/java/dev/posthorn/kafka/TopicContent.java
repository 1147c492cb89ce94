package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What is in a topic at this moment, each partition in its order. */
public final class TopicContent {

    private TopicContent() {}

    public static List<ConsumerRecord<byte[], byte[]>> of(String bootstrapServers, String topic) {
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "allow.auto.create.topics", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }

    /** The numbers at the beginning of the payloads. */
    static List<Integer> numbers(String bootstrapServers, String topic) {
        return of(bootstrapServers, topic).stream().map(TopicContent::number).toList();
    }

    private static Integer number(ConsumerRecord<byte[], byte[]> record) {
        return Integer.valueOf(new String(record.value(), UTF_8).split(" ", 2)[0]);
    }

    /** The same by key, for events that have one. */
    static Map<String, List<Integer>> numbersByKey(String bootstrapServers, String topic) {
        Map<String, List<Integer>> byKey = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : of(bootstrapServers, topic)) {
            byKey.computeIfAbsent(new String(record.key(), UTF_8), key -> new ArrayList<>())
                    .add(number(record));
        }
        return byKey;
    }

    /** All of them without repetitions: in this order they came first. */
    static List<Integer> firstNumbers(String bootstrapServers, String topic) {
        return numbers(bootstrapServers, topic).stream().distinct().toList();
    }
}
