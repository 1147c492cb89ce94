package dev.posthorn.kafka;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.sink.contract.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A broker whose clients come in by a gate; who creates topics and reads comes in by the back door. */
final class KafkaBehindGate implements AutoCloseable {

    private final Gate gate = Gate.open();
    private final EmbeddedKafka kafka =
            SteadyKafka.builder().advertisedPort(gate.port()).start();
    private final Admin admin = kafka.admin();
    private final KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka.internalBootstrapServers(), "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());

    KafkaBehindGate() {
        gate.leadTo(kafka.port());
    }

    Gate gate() {
        return gate;
    }

    String bootstrapServers() {
        return kafka.bootstrapServers();
    }

    void createTopic(String name, int partitions, Map<String, String> config) {
        var topic = new NewTopic(name, partitions, (short) 1).configs(config);
        admin.createTopics(List.of(topic))
                .all()
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        consumer.assign(IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList());
    }

    /** What has come since the last call. */
    List<ConsumerRecord<byte[], byte[]>> readOn() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(Duration.ofMillis(100)).forEach(records::add);
        }
        return records;
    }

    @Override
    public void close() {
        gate.close();
        consumer.close();
        admin.close();
        kafka.close();
    }
}
