package dev.posthorn.kafka.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads topics of dead letters, from where the last replay has left them to what their ends were in the beginning: what a
 * replay adds itself is for the next one.
 */
final class DeadLetterTopicReader implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final KafkaConsumer<byte[], byte[]> client;
    private final Map<TopicPartition, Long> ends;
    private final Map<TopicPartition, AssignedPartition> partitions = new HashMap<>();

    DeadLetterTopicReader(Map<String, Object> settings, Set<String> topics) {
        client = new KafkaConsumer<>(settings);
        try {
            List<TopicPartition> found = new ArrayList<>();
            topics.forEach(topic -> found.addAll(partitionsOf(topic + DeadLetterRecord.SUFFIX)));
            ends = client.endOffsets(found);
            client.assign(found);
            found.forEach(each -> partitions.put(each, new AssignedPartition(each)));
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** None if there is no such topic: then nothing has failed yet. */
    private List<TopicPartition> partitionsOf(String topic) {
        Collection<PartitionInfo> found = client.listTopics().getOrDefault(topic, List.of());
        return found.stream()
                .map(each -> new TopicPartition(topic, each.partition()))
                .toList();
    }

    /** The next ones, in each partition's order; none if these were all. */
    List<ConsumerRecord<byte[], byte[]>> next() {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (records.isEmpty() && isMore()) {
            if (System.nanoTime() - giveUpAt > 0) {
                throw new IllegalStateException(
                        "the brokers gave no record of " + ends.keySet() + " within " + PATIENCE.toSeconds() + " s");
            }
            client.poll(POLL).forEach(record -> {
                if (record.offset() < end(place(record))) {
                    records.add(record);
                }
            });
        }
        return records;
    }

    private boolean isMore() {
        return ends.keySet().stream().anyMatch(each -> client.position(each) < end(each));
    }

    private long end(TopicPartition partition) {
        return ends.getOrDefault(partition, 0L);
    }

    private static TopicPartition place(ConsumerRecord<byte[], byte[]> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    /** It was looked at; unless {@link #done} says so too, it is there for the next replay. */
    void take(ConsumerRecord<byte[], byte[]> record) {
        partition(record).take(record.offset());
    }

    void done(ConsumerRecord<byte[], byte[]> record) {
        partition(record).done(record.offset());
    }

    private AssignedPartition partition(ConsumerRecord<byte[], byte[]> record) {
        return partitions.computeIfAbsent(place(record), AssignedPartition::new);
    }

    /** The next replay begins behind what has nothing undone before it. */
    void commit() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach((id, partition) -> {
            OptionalLong undone = partition.toCommit();
            if (undone.isPresent()) {
                offsets.put(id, new OffsetAndMetadata(undone.getAsLong()));
                partition.committed(undone.getAsLong());
            }
        });
        if (!offsets.isEmpty()) {
            client.commitSync(offsets);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
