package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

class KafkaSubscriptionTest {

    @Test
    void eventsAndSamplesGoToTheirTopics() {
        try (EmbeddedKafka kafka = EmbeddedKafka.temporary();
                TestHub hub = TestHub.start()) {
            kafka.createTopic("orders", 1);
            TestClient rest = hub.rest();
            TestClient.Answer put = rest.put("/v1/subscriptions/kafka", """
                    {"filter": {"types": ["order.*"]}, "timeout": "60s",
                     "sink": {"kind": "kafka", "bootstrapServers": "%s", "topic": "orders",
                              "settings": {"linger.ms": "1"}}}
                    """.formatted(kafka.bootstrapServers()));
            assertThat(put.status()).as(put.text()).isEqualTo(201);
            assertThat(rest.post("/v1/subscriptions/kafka/test")
                            .json()
                            .path("outcome")
                            .stringValue())
                    .isEqualTo("delivered");
            publish(hub, "order.placed");
            List<ConsumerRecord<String, String>> records = records(kafka, 2);
            assertThat(records)
                    .extracting(each -> header(each, "ce_type"))
                    .containsExactly("posthorn.test", "order.placed");
            assertThat(header(records.get(0), "posthorn-test")).isEqualTo("true");
        }
    }

    @Test
    void aBrokerThatIsAwayIsToldWithinTheTimeout() {
        try (TestHub hub = TestHub.start()) {
            TestClient rest = hub.rest();
            rest.put("/v1/subscriptions/away", """
                    {"timeout": "1s", "sink": {"kind": "kafka", "bootstrapServers": "127.0.0.1:9", "topic": "x"}}
                    """);
            // The first one loads Kafka's classes, and a busy machine may need to be asked more than once.
            await().atMost(60, SECONDS).until(() -> {
                TestClient.Answer answer = rest.post("/v1/subscriptions/away/test");
                assertThat(answer.json().path("outcome").stringValue()).isEqualTo("unavailable");
                return answer.json().path("tookMillis").asInt() < 2_000;
            });
        }
    }

    private static String header(ConsumerRecord<String, String> each, String name) {
        Header header = each.headers().lastHeader(name);
        return header == null ? "" : new String(header.value(), UTF_8);
    }

    private static List<ConsumerRecord<String, String>> records(EmbeddedKafka kafka, int count) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", "test", "auto.offset.reset", "earliest");
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            long giveUpAt = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (records.size() < count && System.nanoTime() < giveUpAt) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }
}
