package dev.posthorn.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.spring.InboxListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.AbstractAotProcessor;

/** Ahead-of-time processing, as the plugins of Maven and Gradle do it. */
class AotTest {

    static class Greeter {

        @InboxListener(topics = "orders")
        void on(dev.posthorn.event.Event event) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        public static void main(String[] arguments) {
            SpringApplication application = new SpringApplication(Application.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            application.run(arguments);
        }

        @Bean
        Greeter greeter() {
            return new Greeter();
        }
    }

    /** It failed with any subscription: one was made by a lambda, which nothing can be written down of. */
    @Test
    void anApplicationWithSubscriptionsAndListenersIsProcessed(@TempDir Path out) throws IOException {
        AbstractAotProcessor.Settings settings = AbstractAotProcessor.Settings.builder()
                .sourceOutput(out.resolve("sources"))
                .resourceOutput(out.resolve("resources"))
                .classOutput(out.resolve("classes"))
                .groupId("dev.posthorn")
                .artifactId("aot")
                .build();
        new SpringApplicationAotProcessor(Application.class, settings, new String[] {
                    "--spring.application.name=shop",
                    "--spring.datasource.url=jdbc:postgresql://localhost:1/none",
                    "--spring.flyway.enabled=false",
                    "--spring.kafka.bootstrap-servers=localhost:9",
                    "--posthorn.subscriptions.orders.kafka.topic=orders"
                })
                .process();

        try (Stream<Path> files = Files.walk(out.resolve("sources"))) {
            assertThat(files.filter(Files::isRegularFile).map(AotTest::read))
                    .anySatisfy(source -> assertThat(source).contains("posthornSubscription.orders"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
