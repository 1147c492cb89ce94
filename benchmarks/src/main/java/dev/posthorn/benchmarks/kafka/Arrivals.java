package dev.posthorn.benchmarks.kafka;

import dev.posthorn.benchmarks.testbed.SampleEvents;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** One consumer of both topics that notes when each event came. */
final class Arrivals implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<String, long[]> times = new LinkedHashMap<>();
    private final CountDownLatch missing;
    private final Thread thread = new Thread(this::consume, "bench-consumer");
    private volatile boolean stopping;

    Arrivals(String bootstrapServers, String oneTopic, String otherTopic, int total) {
        times.put(oneTopic, new long[total]);
        times.put(otherTopic, new long[total]);
        this.missing = new CountDownLatch(2 * total);
        this.consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(times.keySet().stream()
                .flatMap(topic -> partitions(topic).stream())
                .toList());
        thread.setDaemon(true);
        thread.start();
    }

    private List<TopicPartition> partitions(String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
    }

    private void consume() {
        while (!stopping) {
            var records = consumer.poll(Duration.ofMillis(100));
            long now = System.nanoTime();
            for (ConsumerRecord<byte[], byte[]> arrived : records) {
                note(at(arrived.topic()), SampleEvents.orderOf(arrived.value()), now);
            }
        }
        consumer.close();
    }

    private void note(long[] topic, int event, long now) {
        if (topic[event] == 0) {
            topic[event] = now;
            missing.countDown();
        }
    }

    /** Event by event, when it came. To be read once all have come. */
    long[] at(String topic) {
        long[] arrivals = times.get(topic);
        if (arrivals == null) {
            throw new IllegalArgumentException("nothing is read from the topic " + topic);
        }
        return arrivals;
    }

    void awaitAll() throws InterruptedException {
        if (!missing.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    missing.getCount() + " events did not arrive within " + PATIENCE_SECONDS + " s of the last commit");
        }
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
