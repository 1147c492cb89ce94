package dev.posthorn.embedded.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedKafkaTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @Test
    void recordsAndThePortSurviveAStop() throws Exception {
        try (var kafka = EmbeddedKafka.builder().logDirectory(directory).start()) {
            kafka.createTopic("orders", 3);
            send(kafka.bootstrapServers(), "orders", "first", Map.of());
            String servers = kafka.bootstrapServers();

            kafka.stop();
            kafka.start();

            assertThat(kafka.bootstrapServers()).isEqualTo(servers);
            send(servers, "orders", "second", Map.of());
            assertThat(received(servers, "orders", 2)).containsExactlyInAnyOrder("first", "second");
        }
    }

    @Test
    void aNewTopicTakesTheSettingsOfTheBrokerOrItsOwn() throws Exception {
        try (var kafka = EmbeddedKafka.temporary();
                var admin = kafka.admin()) {
            send(kafka.bootstrapServers(), "made-by-sending", "x", Map.of());
            kafka.createTopic("small", 1, Map.of("max.message.bytes", "2000"));

            // The broker hears of a new topic a moment after it was made.
            Map<String, TopicDescription> topics = await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> described(admin, "made-by-sending", "small"), found -> found.size() == 2);
            assertThat(topics.get("made-by-sending").partitions()).hasSize(8);
            assertThat(topics.get("small").partitions()).hasSize(1);
            assertThatThrownBy(() -> send(kafka.bootstrapServers(), "small", "x".repeat(3000), Map.of()))
                    .hasMessageContaining("larger than the max message size");
        }
    }

    @Test
    void aTopicIsMissingWhereTheBrokerMayNotMakeIt() {
        try (var kafka = EmbeddedKafka.builder()
                .setting("auto.create.topics.enable", "false")
                .start()) {
            assertThatThrownBy(() -> send(kafka.bootstrapServers(), "nowhere", "x", Map.of("max.block.ms", "1500")))
                    .hasMessageContaining("nowhere not present in metadata");
        }
    }

    @Test
    void aUserIsDeniedTheTopicThatNoRuleGivesIt() throws Exception {
        try (var kafka =
                        EmbeddedKafka.builder().users(Map.of("relay", "secret")).start();
                var admin = kafka.admin()) {
            kafka.createTopic("allowed", 1);
            kafka.createTopic("forbidden", 1);
            AclBinding rule = mayWrite("relay", "allowed");
            admin.createAcls(List.of(rule)).all().get();
            // And so it does of a new rule.
            await().atMost(PATIENCE).until(() -> isKnown(admin, rule));
            Map<String, String> login = Map.of(
                    "security.protocol",
                    "SASL_PLAINTEXT",
                    "sasl.mechanism",
                    "PLAIN",
                    "sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required"
                            + " username=\"relay\" password=\"secret\";");

            send(kafka.bootstrapServers(), "allowed", "x", login);

            assertThatThrownBy(() -> send(kafka.bootstrapServers(), "forbidden", "x", login))
                    .hasCauseInstanceOf(TopicAuthorizationException.class);
        }
    }

    @Test
    void aBrokerOfItsOwnComesBackAfterAKill() throws Exception {
        int port = FreePort.find(1).get(0);
        Process first = process(port);
        try {
            ChildJvm.awaitLine(first, "ready ");
            send("127.0.0.1:" + port, "kept", "before", Map.of());
        } finally {
            first.destroyForcibly().waitFor();
        }
        Process second = process(port);
        try {
            ChildJvm.awaitLine(second, "ready ");
            assertThat(received("127.0.0.1:" + port, "kept", 1)).containsExactly("before");
        } finally {
            second.destroyForcibly().waitFor();
        }
    }

    private static Map<String, TopicDescription> described(Admin admin, String... topics)
            throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(topics)).allTopicNames().get();
    }

    private static boolean isKnown(Admin admin, AclBinding rule) throws ExecutionException, InterruptedException {
        return !admin.describeAcls(rule.toFilter()).values().get().isEmpty();
    }

    private static AclBinding mayWrite(String user, String topic) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:" + user, "*", AclOperation.WRITE, AclPermissionType.ALLOW));
    }

    private Process process(int port) throws IOException {
        return ChildJvm.of(
                        KafkaProcess.class, ChildJvm.small(512), List.of(directory.toString(), Integer.toString(port)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void send(String servers, String topic, String value, Map<String, String> more)
            throws InterruptedException, ExecutionException {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", servers);
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, "key", value)).get();
        }
    }

    private static List<String> received(String servers, String topic, int count) {
        Map<String, Object> config =
                Map.of("bootstrap.servers", servers, "group.id", "test", "auto.offset.reset", "earliest");
        List<String> values = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (values.size() < count && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
            }
        }
        return values;
    }
}
