package dev.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The broker goes away under load and comes back: nothing of it is the events' fault. */
@Tag("slow")
class BrokerOutageTest {

    private static final Duration OUTAGE = Duration.ofSeconds(30);
    private static final Duration PROMPTLY = Duration.ofSeconds(5);

    @Test
    void afterAnOutageEverythingArrivesInOrderAndAtOnceAndNothingIsADeadLetter() throws Exception {
        OutboxDatabase database = OutboxDatabase.create();
        try (EmbeddedKafka kafka = EmbeddedKafka.temporary()) {
            kafka.createTopic("order.events", 4);
            KafkaSink sink = KafkaSink.builder(kafka.bootstrapServers()).build();
            KeyedLoad load = KeyedLoad.on(database);
            try (RelayRun run = RelayRun.start(database, sink, settings -> settings.lanes(4))) {
                run.awaitDelivered(400);

                kafka.stop();
                long stopped = System.nanoTime();
                int recordedBefore = load.recorded();
                sleepUntil(stopped + OUTAGE.toNanos());
                long deliveredBefore = run.delivered();
                assertThat(load.recorded() - recordedBefore)
                        .as("recorded during the outage")
                        .isGreaterThan(100);
                assertThat(database.waiting()).as("rows because of the outage").isZero();

                CompletableFuture<Void> starting = CompletableFuture.runAsync(kafka::start);
                long back = awaitConnection(kafka.port());
                await().pollInterval(Duration.ofMillis(10)).until(() -> run.delivered() > deliveredBefore);
                Duration first = Duration.ofNanos(System.nanoTime() - back);
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

    private static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
    }

    /** The moment at which somebody takes the connection. */
    private static long awaitConnection(int port) throws InterruptedException {
        long giveUpAt = System.nanoTime() + OUTAGE.toNanos();
        while (System.nanoTime() < giveUpAt) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return System.nanoTime();
            } catch (IOException notYet) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
        throw new AssertionError("the broker did not come back");
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
