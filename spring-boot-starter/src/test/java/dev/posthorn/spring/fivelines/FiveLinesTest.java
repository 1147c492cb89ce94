package dev.posthorn.spring.fivelines;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.spring.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The first event as the README and docs/spring-boot.md show it, as it stands there, with the addresses of real servers. */
class FiveLinesTest {

    private static final Path README = Path.of("../README.md");
    private static final Path PAGE = Path.of("../docs/spring-boot.md");
    private static final Path SERVICE = Path.of("src/test/java/dev/posthorn/spring/fivelines/OrderService.java");

    private static final List<String> OTHERS = List.of(
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
            "org.springframework.boot.jooq.autoconfigure.JooqAutoConfiguration");

    @TempDir
    private Path folder;

    @SpringBootApplication
    static class Application {}

    @Test
    void anApplicationWithFiveLinesOfConfigurationPublishesItsFirstEvent() throws IOException {
        TestServer.kafka().createTopic("orders", 1);
        String yaml = block(README, "yaml");
        assertThat(yaml.lines()).hasSizeBetween(1, 5);
        Path configuration = Files.writeString(folder.resolve("application.yaml"), withRealAddresses(yaml));

        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                // What other tests need on the class path, and an application with only the starter has not.
                .properties("spring.flyway.enabled=false", "management.otlp.metrics.export.enabled=false")
                .properties("spring.autoconfigure.exclude=" + String.join(",", OTHERS))
                .run("--spring.config.location=" + configuration.toUri())) {
            context.getBean(OrderService.class).place("order-7", 12);

            ConsumerRecord<byte[], byte[]> record = firstRecord();
            assertThat(new String(record.key(), UTF_8)).isEqualTo("order-7");
            assertThat(new String(record.value(), UTF_8)).isEqualTo("{\"orderId\":\"order-7\",\"total\":12}");
            assertThat(header(record, "ce_type")).isEqualTo("order.placed");
            assertThat(header(record, "ce_source")).isEqualTo("shop");
        }
    }

    @Test
    void theServiceOnBothPagesIsTheOneThatRunsHere() throws IOException {
        assertThat(Files.readString(SERVICE)).endsWith(block(README, "java")).endsWith(block(PAGE, "java"));
        assertThat(block(PAGE, "yaml")).isEqualTo(block(README, "yaml"));
    }

    private static String withRealAddresses(String yaml) {
        return yaml.replace("jdbc:postgresql://localhost:5432/shop?user=shop&password=secret", TestServer.database())
                .replace("localhost:9092", TestServer.kafka().bootstrapServers());
    }

    private static String block(Path file, String language) throws IOException {
        String page = Files.readString(file);
        String fence = "```" + language + "\n";
        int from = page.indexOf(fence) + fence.length();
        return page.substring(from, page.indexOf("```", from));
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private static ConsumerRecord<byte[], byte[]> firstRecord() {
        try (var consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        TestServer.kafka().bootstrapServers(),
                        "group.id",
                        "five-lines",
                        "auto.offset.reset",
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of("orders"));
            return Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(
                            () -> consumer.poll(Duration.ofMillis(200))
                                    .records("orders")
                                    .iterator(),
                            java.util.Iterator::hasNext)
                    .next();
        }
    }
}
