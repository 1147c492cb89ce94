package dev.posthorn.spring.fivelines;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.spring.shop.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The first event as the README and docs/spring-boot.md show it, as it stands there, with the addresses of real servers. */
@ExtendWith(OutputCaptureExtension.class)
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
    void anApplicationWithFiveLinesOfConfigurationPublishesItsFirstEvent() throws Exception {
        TestServer.kafka().createTopic("orders", 1);
        String yaml = block(README, "yaml");
        assertThat(yaml.lines()).hasSizeBetween(1, 5);

        try (ConfigurableApplicationContext context = run(yaml)) {
            context.getBean(OrderService.class).place("order-7", 12);

            ConsumerRecord<byte[], byte[]> record = firstRecord();
            assertThat(new String(record.key(), UTF_8)).isEqualTo("order-7");
            assertThat(new String(record.value(), UTF_8)).isEqualTo("{\"orderId\":\"order-7\",\"total\":12}");
            assertThat(header(record, "ce_type")).isEqualTo("order.placed");
            assertThat(header(record, "ce_source")).isEqualTo("shop");
            assertThat(context.getBean(Billing.class).booked.poll(60, TimeUnit.SECONDS))
                    .isEqualTo(new OrderService.OrderPlaced("order-7", 12));
        }
    }

    private ConfigurableApplicationContext run(String yaml) throws IOException {
        Path configuration = Files.writeString(folder.resolve("application.yaml"), withRealAddresses(yaml));
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                // What other tests need on the class path, and an application with only the starter has not.
                .properties("spring.flyway.enabled=false", "management.otlp.metrics.export.enabled=false")
                .properties("spring.autoconfigure.exclude=" + String.join(",", OTHERS))
                .run("--spring.config.location=" + configuration.toUri());
    }

    /** The message named one property twice and told nobody where to put it. */
    @Test
    void withoutBootstrapServersTheReportNamesEachPropertyOnceAndSaysWhereToPutIt(CapturedOutput output)
            throws IOException {
        String yaml = block(README, "yaml");
        String servers = yaml.lines()
                .filter(line -> line.startsWith("posthorn.kafka.bootstrap-servers"))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> run(yaml.replace(servers, "")));
        String report = output.toString().substring(output.toString().indexOf("APPLICATION FAILED TO START"));
        assertThat(report)
                .contains("posthorn.subscriptions.orders.kafka needs Kafka, but nothing says where that is")
                .contains("application.yaml", "POSTHORN_KAFKA_BOOTSTRAPSERVERS")
                .containsOnlyOnce("posthorn.kafka.bootstrap-servers")
                .containsOnlyOnce("spring.kafka.bootstrap-servers")
                .containsOnlyOnce("orders.kafka.bootstrap-servers");
        String listening = yaml.replace(servers, "").replaceAll("(?m)^posthorn.subscriptions.*$", "");
        assertThatThrownBy(() -> run(listening))
                .rootCause()
                .message()
                .contains("Billing.book", "needs Kafka")
                .containsOnlyOnce("posthorn.kafka.bootstrap-servers");
    }

    /** The README's own application is built and run elsewhere, as a whole. */
    @Test
    void theServiceOnThePageIsTheOneThatRunsHere() throws IOException {
        assertThat(Files.readString(SERVICE)).endsWith(block(PAGE, "java"));
        assertThat(block(README, "yaml").lines().toList())
                .containsAll(block(PAGE, "yaml").lines().toList());
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
                    .atMost(Duration.ofSeconds(60))
                    .until(
                            () -> consumer.poll(Duration.ofMillis(200))
                                    .records("orders")
                                    .iterator(),
                            java.util.Iterator::hasNext)
                    .next();
        }
    }
}
