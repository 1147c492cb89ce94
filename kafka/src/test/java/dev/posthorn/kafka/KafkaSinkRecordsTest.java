package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

class KafkaSinkRecordsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** How often something is timed that took too long: who waits does so every time, a busy machine does not. */
    private static final int TRIES = 5;

    private static final EmbeddedKafka KAFKA = SteadyKafka.shared();

    private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();

    private static ConditionFactory await() {
        return Awaitility.await().atMost(TIMEOUT.multipliedBy(2));
    }

    @Test
    void aRecordIsACloudEvent() {
        Event event = order("k\u00e4se-1")
                .id("no-7")
                .version(3)
                .aggregateType("cloud")
                .occurredAt(Instant.parse("2026-11-15T10:00:00.123456Z"))
                .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .header("ce_tenant", "acme")
                .header("CE_ID", "forged")
                .header("Content-Type", "text/forged")
                .build();
        Map<String, String> forged = new HashMap<>(event.headers());
        forged.put("Posthorn-Test", "true");

        deliver(KafkaSink.builder(KAFKA.bootstrapServers()).build(), List.of(event.withHeaders(forged)));

        ConsumerRecord<byte[], byte[]> record = content("cloud.events").get(0);
        assertThat(record.key()).asString(UTF_8).isEqualTo("k\u00e4se-1");
        assertThat(record.value()).asString(UTF_8).isEqualTo("{\"n\":1}");
        assertThat(headers(record))
                .isEqualTo(Map.ofEntries(
                        Map.entry("ce_specversion", "1.0"),
                        Map.entry("ce_id", "no-7"),
                        Map.entry("ce_posthornid", event.id().toString()),
                        Map.entry("ce_type", "order.placed"),
                        Map.entry("ce_source", "shop"),
                        Map.entry("ce_time", "2026-11-15T10:00:00.123456Z"),
                        Map.entry("ce_subject", "k\u00e4se-1"),
                        Map.entry("ce_partitionkey", "k\u00e4se-1"),
                        Map.entry("ce_aggregatetype", "cloud"),
                        Map.entry("ce_eventversion", "3"),
                        Map.entry("content-type", "application/json"),
                        Map.entry("ce_tenant", "acme"),
                        Map.entry("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")));
    }

    @Test
    void anEventWithoutAKeyHasNone() {
        Event event = order(null).aggregateType("keyless").build();

        deliver(KafkaSink.builder(KAFKA.bootstrapServers()).build(), List.of(event));

        ConsumerRecord<byte[], byte[]> record = content("keyless.events").get(0);
        assertThat(record.key()).isNull();
        assertThat(headers(record)).doesNotContainKeys("ce_subject", "ce_partitionkey", "ce_posthornid");
        assertThat(headers(record))
                .containsEntry("ce_id", event.id().toString())
                .containsEntry("ce_time", "1970-01-01T00:00:00Z");
    }

    @Test
    void aKeyStaysInItsPartitionAndInOrderAndATypeMayHaveItsOwnTopic() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            events.add(order("key-" + i % 50)
                    .type(i % 50 == 7 ? "order.lost" : "order.placed")
                    .json(Integer.toString(i))
                    .build());
        }

        deliver(
                KafkaSink.builder(KAFKA.bootstrapServers())
                        .topic("{source}.orders")
                        .topicFor("order.lost", "lost.{type}")
                        .build(),
                events);

        List<ConsumerRecord<byte[], byte[]>> records = content("shop.orders");
        assertThat(records).hasSize(1960);
        assertThat(content("lost.order.lost")).hasSize(40);
        Map<String, Integer> last = new HashMap<>();
        Map<String, Set<Integer>> partitions = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            String key = new String(record.key(), UTF_8);
            int number = Integer.parseInt(new String(record.value(), UTF_8));
            assertThat(number).isGreaterThan(last.getOrDefault(key, -1));
            last.put(key, number);
            partitions.computeIfAbsent(key, any -> new HashSet<>()).add(record.partition());
        }
        assertThat(partitions.values()).allSatisfy(each -> assertThat(each).hasSize(1));
        assertThat(records.stream().map(ConsumerRecord::partition).distinct().count())
                .isGreaterThan(1);
    }

    @Test
    void anImpossibleTopicRejectsTheEventAndEndsTheChannel() {
        Event bad = order("a").aggregateType("shop/orders").build();

        try (Channel channel = open(KafkaSink.builder(KAFKA.bootstrapServers()).build())) {
            hand(channel, List.of(order("a").build(), bad, order("a").build()));
            await().until(() -> outcomes.size() == 3);
        }
        assertThat(outcomes.get(0)).isEqualTo(Outcome.DELIVERED);
        assertThat(outcomes.get(1))
                .isInstanceOf(Outcome.Reject.class)
                .asString()
                .contains("'shop/orders.events'", "letters, digits");
        assertThat(outcomes.get(2)).isInstanceOf(Outcome.Unavailable.class);
        assertThat(errorClasses()).containsExactly(ErrorClass.INVALID, ErrorClass.INVALID);
    }

    @Test
    void aBrokerThatIsNotThereIsUnavailableAndBlocksNobody() {
        Duration atOnce = Duration.ofMillis(500);

        Duration time = timeOfHandingToNobody();
        for (int i = 1; i < TRIES && time.compareTo(atOnce) >= 0; i++) {
            time = timeOfHandingToNobody();
        }

        assertThat(time).isLessThan(atOnce);
    }

    private Duration timeOfHandingToNobody() {
        KafkaSink sink = KafkaSink.builder("127.0.0.1:1").build();
        List<Event> events = List.of(order("a").build(), order("b").build());
        try (Channel channel = sink.open("lane", Duration.ofSeconds(1))) {
            outcomes.clear();
            long before = System.nanoTime();
            hand(channel, events);
            Duration time = Duration.ofNanos(System.nanoTime() - before);

            await().until(() -> outcomes.size() == 2);
            assertThat(outcomes).hasOnlyElementsOfType(Outcome.Unavailable.class);
            assertThat(errorClasses()).containsOnly(ErrorClass.REFUSED);
            return time;
        }
    }

    @Test
    void aProducerThatCannotBeMadeIsUnavailable() {
        KafkaSink sink = KafkaSink.builder(KAFKA.bootstrapServers())
                .setting("security.protocol", "SSL")
                .setting("ssl.truststore.location", "nowhere.p12")
                .setting("ssl.truststore.password", "s3cret")
                .build();
        try (Channel channel = open(sink)) {
            hand(channel, List.of(order("a").build()));

            await().until(() -> outcomes.size() == 1);
            assertThat(outcomes.get(0))
                    .isInstanceOf(Outcome.Unavailable.class)
                    .asString()
                    .contains("nowhere.p12")
                    .doesNotContain("s3cret");
            assertThat(errorClasses()).containsExactly(ErrorClass.TLS);
        }
    }

    @Test
    void aBrokerWhoseNameNobodyKnowsIsUnavailable() {
        try (Channel channel = open(KafkaSink.builder("nowhere.invalid:9092").build())) {
            hand(channel, List.of(order("a").build()));

            await().until(() -> outcomes.size() == 1);
            assertThat(outcomes).hasOnlyElementsOfType(Outcome.Unavailable.class);
            assertThat(errorClasses()).containsExactly(ErrorClass.DNS);
        }
    }

    @Test
    void aReceiverThatDoesNotSpeakTlsIsUnavailable() throws Exception {
        try (Listener server = Listener.start(KafkaSinkRecordsTest::answerInPlainText)) {
            KafkaSink sink = KafkaSink.builder("127.0.0.1:" + server.port())
                    .setting("security.protocol", "SSL")
                    .build();
            try (Channel channel = open(sink)) {
                hand(channel, List.of(order("a").build()));

                await().until(() -> outcomes.size() == 1);
                assertThat(outcomes).hasOnlyElementsOfType(Outcome.Unavailable.class);
                assertThat(errorClasses()).containsExactly(ErrorClass.TLS);
            }
        }
    }

    private static void answerInPlainText(Socket socket) throws IOException {
        socket.getOutputStream().write("what do you want?\r\n".getBytes(UTF_8));
        int unused = socket.getInputStream().read();
    }

    @Test
    void aClosedChannelLeavesNoThreadBehindWhateverItWasDoing() {
        Duration soon = Duration.ofSeconds(1);
        for (String servers : List.of(KAFKA.bootstrapServers(), "127.0.0.1:1")) {
            Duration time = timeOfClosing(servers);
            for (int i = 1; i < TRIES && time.compareTo(soon) >= 0; i++) {
                time = timeOfClosing(servers);
            }
            assertThat(time).as(servers).isLessThan(soon);
        }
    }

    private Duration timeOfClosing(String servers) {
        KafkaSink sink = KafkaSink.builder(servers).build();
        Channel idle = sink.open("leak-idle", TIMEOUT);
        Channel busy = sink.open("leak-busy", TIMEOUT);
        hand(busy, List.of(order("a").build()));
        await().until(() -> threads("leak-busy") == 2);

        long before = System.nanoTime();
        idle.close();
        busy.close();
        busy.close();
        Duration time = Duration.ofNanos(System.nanoTime() - before);
        await().until(() -> threads("leak-") == 0);
        return time;
    }

    private List<ErrorClass> errorClasses() {
        return outcomes.stream()
                .filter(Outcome.Failure.class::isInstance)
                .map(outcome -> ((Outcome.Failure) outcome).errorClass())
                .toList();
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains(name))
                .count();
    }

    private void deliver(KafkaSink sink, List<Event> events) {
        try (Channel channel = open(sink)) {
            hand(channel, events);
            await().until(() -> outcomes.size() == events.size());
        }
        assertThat(outcomes).containsOnly(Outcome.DELIVERED);
    }

    private static Channel open(KafkaSink sink) {
        return sink.open("lane", TIMEOUT);
    }

    private void hand(Channel channel, List<Event> events) {
        for (Event event : events) {
            channel.send(new RecordedEvent(1, event, Instant.EPOCH), 1, outcomes::add);
        }
        channel.flush();
    }

    private static Event.Builder order(String key) {
        return Event.builder().source("shop").type("order.placed").key(key).json("{\"n\":1}");
    }

    private static List<ConsumerRecord<byte[], byte[]>> content(String topic) {
        return TopicContent.of(KAFKA.bootstrapServers(), topic);
    }

    /** Fails if a name is there twice. */
    private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new HashMap<>();
        record.headers()
                .forEach(header -> assertThat(headers.put(header.key(), new String(header.value(), UTF_8)))
                        .as(header.key())
                        .isNull());
        return headers;
    }
}
