package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A sample consumer: reads the topic of order events from now on and enters each in the ledger. */
final class OrderConsumer {

    static final String TOPIC = "order.events";

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration LAST_READ = Duration.ofSeconds(10);

    private final KafkaConsumer<String, byte[]> kafka;
    private final String run;
    private final Ledger ledger;
    private final Consumer<String> trouble;
    private final Thread thread = new Thread(this::consume, "order-consumer");
    private volatile boolean stopping;

    private OrderConsumer(KafkaConsumer<String, byte[]> kafka, String run, Ledger ledger, Consumer<String> trouble) {
        this.kafka = kafka;
        this.run = run;
        this.ledger = ledger;
        this.trouble = trouble;
    }

    static OrderConsumer start(String bootstrapServers, String run, Ledger ledger, Consumer<String> trouble) {
        var kafka = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", bootstrapServers),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> partitions = kafka.partitionsFor(TOPIC).stream()
                .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                .toList();
        kafka.assign(partitions);
        kafka.seekToEnd(partitions);
        // Looked up now: at the first poll there might already be something to receive.
        partitions.forEach(kafka::position);
        var consumer = new OrderConsumer(kafka, run, ledger, trouble);
        consumer.thread.start();
        return consumer;
    }

    private void consume() {
        try (kafka) {
            while (!stopping) {
                poll();
            }
            readToTheEnd();
        } catch (RuntimeException e) {
            trouble.accept("the consumer failed: " + e.getMessage());
        }
    }

    private void poll() {
        kafka.poll(POLL).forEach(this::take);
    }

    /** A duplicate that came last must be seen too. */
    private void readToTheEnd() {
        Map<TopicPartition, Long> ends = kafka.endOffsets(kafka.assignment());
        long giveUpAt = System.nanoTime() + LAST_READ.toNanos();
        while (ends.entrySet().stream().anyMatch(end -> kafka.position(end.getKey()) < end.getValue())
                && System.nanoTime() < giveUpAt) {
            poll();
        }
    }

    private void take(ConsumerRecord<String, byte[]> received) {
        long now = System.nanoTime();
        OrderChange change = OrderChange.parse(received.value());
        if (change.run().equals(run)) {
            ledger.received(id(received), received.key(), change.change(), now);
        }
    }

    private static UUID id(ConsumerRecord<String, byte[]> received) {
        return UUID.fromString(new String(received.headers().lastHeader("ce_id").value(), UTF_8));
    }

    /** Reads what is there and ends. */
    void stop() throws InterruptedException {
        stopping = true;
        thread.join(TimeUnit.SECONDS.toMillis(20));
    }
}
