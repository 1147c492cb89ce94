package dev.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The broker goes away under load and comes back: nothing of it is the events' fault. */
@Tag("slow")
class BrokerOutageTest {

    private static final Duration OUTAGE = Duration.ofSeconds(30);
    private static final Duration PROMPTLY = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String OTHERS_TOPIC = "others.events";

    @Test
    void afterAnOutageEverythingArrivesInOrderAndAtOnceAndNothingIsADeadLetter() throws Exception {
        OutboxDatabase database = OutboxDatabase.create();
        try (EmbeddedKafka kafka = EmbeddedKafka.temporary()) {
            kafka.createTopic("order.events", 4);
            kafka.createTopic(OTHERS_TOPIC, 1);
            KafkaSink sink = KafkaSink.builder(kafka.bootstrapServers()).build();
            KeyedLoad load = KeyedLoad.on(database);
            try (RelayRun run = RelayRun.start(database, sink, BrokerOutageTest::asEverybody)) {
                run.awaitDelivered(400);

                kafka.stop();
                long stopped = System.nanoTime();
                int recordedBefore = load.recorded();
                sleepUntil(stopped + OUTAGE.toNanos());
                await("recorded during the outage")
                        .atMost(PATIENCE)
                        .until(() -> load.recorded() - recordedBefore > 100);
                long deliveredBefore = run.delivered();
                assertThat(database.waiting()).as("rows because of the outage").isZero();

                CompletableFuture<Void> starting = CompletableFuture.runAsync(kafka::start);
                Duration first = firstDelivery(kafka, () -> run.delivered() > deliveredBefore);
                System.out.println("first delivery " + first.toMillis() + " ms after the broker's return");
                starting.join();

                Map<String, Integer> recorded = load.end();
                run.awaitDelivered(
                        recorded.values().stream().mapToInt(Integer::intValue).sum());
                assertThat(firstDeliveries(kafka)).isEqualTo(inOrder(recorded));
                assertThat(run.overtaken()).isZero();
                assertThat(first).isLessThan(PROMPTLY);
            }
        }
        assertThat(database.deadLetters()).isEmpty();
        assertThat(database.waiting()).isZero();
        assertThat(database.query("SELECT count(*) FROM posthorn.attempt", row -> row.getInt(1)))
                .as("attempts counted")
                .containsExactly(0);
    }

    /** With the timeout of those who set none. */
    private static Subscription.Builder asEverybody(Subscription.Builder settings) {
        return settings.lanes(4).timeout(Duration.ofSeconds(10));
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
    }

    /**
     * How long after the broker takes records again, by another producer's. What that one waits since is taken off: so
     * long the broker kept everybody waiting, or the machine stood still.
     */
    private static Duration firstDelivery(EmbeddedKafka kafka, BooleanSupplier delivered)
            throws ExecutionException, InterruptedException {
        try (KafkaProducer<byte[], byte[]> other = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "max.block.ms", PATIENCE.toMillis()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            send(other);
            long back = System.nanoTime();
            long longest = 0;
            while (!delivered.getAsBoolean()) {
                long before = System.nanoTime();
                assertThat(before - back).as("nanoseconds without a delivery").isLessThan(PATIENCE.toNanos());
                send(other);
                TimeUnit.MILLISECONDS.sleep(10);
                longest = Math.max(longest, System.nanoTime() - before);
            }
            return Duration.ofNanos(System.nanoTime() - back - longest);
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer) throws ExecutionException, InterruptedException {
        producer.send(new ProducerRecord<>(OTHERS_TOPIC, new byte[1])).get();
    }

    /** The numbers of each key's events, without repetitions. */
    private static Map<String, List<Integer>> firstDeliveries(EmbeddedKafka kafka) {
        Map<String, List<Integer>> byKey = new TreeMap<>();
        TopicContent.numbersByKey(kafka.bootstrapServers(), "order.events")
                .forEach((key, numbers) ->
                        byKey.put(key, numbers.stream().distinct().toList()));
        return byKey;
    }

    private static Map<String, List<Integer>> inOrder(Map<String, Integer> recorded) {
        Map<String, List<Integer>> byKey = new TreeMap<>();
        recorded.forEach((key, count) ->
                byKey.put(key, IntStream.rangeClosed(1, count).boxed().toList()));
        return byKey;
    }
}
