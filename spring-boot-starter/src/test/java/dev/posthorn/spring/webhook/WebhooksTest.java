package dev.posthorn.spring.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.EventIds;
import dev.posthorn.inbox.Effect;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.testkit.FreshDatabase;
import dev.posthorn.webhook.Signature;
import dev.posthorn.webhook.WebhookReceiver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Through a real port, with the effect in Spring's transaction. */
class WebhooksTest {

    private static final String SECRET = Signature.newSecret();

    private static ConfigurableApplicationContext application;
    private static JdbcTemplate jdbc;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        WebMvcAutoConfiguration.class
    })
    static class Shop {

        @Bean
        WebhookReceiver receiver(DataSource dataSource, PlatformTransactionManager transactions) {
            return WebhookReceiver.builder(dataSource, "billing")
                    .secrets(SECRET)
                    .maxBodyBytes(1_000)
                    .retryAfter(Duration.ofSeconds(30))
                    .transactions(new SpringsTransactions(dataSource, new TransactionTemplate(transactions)))
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> orders(WebhookReceiver receiver, JdbcTemplate jdbc) {
            return Webhooks.post("/hooks/orders", receiver, (connection, webhook) -> {
                jdbc.update("INSERT INTO booking VALUES (?, ?)", webhook.text(), webhook.type());
                if (webhook.text().contains("fail")) {
                    throw new IOException("s3cret");
                }
            });
        }
    }

    /** What {@code JdbcTemplate} does is part of it. */
    private record SpringsTransactions(DataSource dataSource, TransactionTemplate template) implements Transactions {

        @Override
        @SuppressWarnings("unchecked")
        public <T extends @Nullable Object, E extends Exception> T run(Effect<T, E> work) throws E {
            Exception[] thrown = new Exception[1];
            T result = template.execute(status -> {
                Connection connection = DataSourceUtils.getConnection(dataSource);
                try {
                    return work.apply(connection);
                } catch (Exception e) {
                    thrown[0] = e;
                    status.setRollbackOnly();
                    return null;
                } finally {
                    DataSourceUtils.releaseConnection(connection, dataSource);
                }
            });
            if (thrown[0] != null) {
                throw (E) thrown[0];
            }
            return result;
        }
    }

    @BeforeAll
    static void start() {
        FreshDatabase database = FreshDatabase.create();
        new Schema(SchemaName.DEFAULT).install(database.dataSource());
        application = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + database.completeUrl(),
                        "spring.main.banner-mode=off")
                .run();
        jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE booking (text text NOT NULL, type text)");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static HttpResponse<String> post(String id, String body, String secret) throws Exception {
        long now = Instant.now().getEpochSecond();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:"
                        + application.getEnvironment().getProperty("local.server.port") + "/hooks/orders"))
                .header("Content-Type", "application/json")
                .header("ce-type", "order.placed")
                .header("webhook-id", id)
                .header("webhook-timestamp", Long.toString(now))
                .header("webhook-signature", Signature.of(List.of(secret)).of(id, now, body.getBytes(UTF_8)))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> types(String body) {
        return jdbc.queryForList("SELECT type FROM booking WHERE text = ?", String.class, body);
    }

    @Test
    void aWebhookIsWorkedOnOnce() throws Exception {
        String body = "{ \"price\":   \"10 €\" }";

        HttpResponse<String> first = post("a", body, SECRET);
        HttpResponse<String> second = post("a", body, SECRET);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("done");
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.body()).isEqualTo("done before");
        assertThat(types(body)).containsExactly("order.placed");
    }

    @Test
    void workThatFailsIsRolledBackWithAllThatItDidAndTheSenderIsToldWhenToComeAgain() throws Exception {
        HttpResponse<String> answer = post("b", "{\"fail\": 1}", SECRET);

        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("30");
        assertThat(answer.body()).doesNotContain("s3cret");
        assertThat(types("{\"fail\": 1}")).isEmpty();
        assertThat(jdbc.queryForObject(
                        "SELECT count(*) FROM posthorn.inbox_entry WHERE event_id = ?",
                        Long.class,
                        EventIds.named("billing", "b")))
                .isZero();
    }

    @Test
    void whatIsNotGenuineIsRefused() throws Exception {
        HttpResponse<String> answer = post("c", "{\"forged\": 1}", Signature.newSecret());

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        assertThat(types("{\"forged\": 1}")).isEmpty();
    }

    @Test
    void whatIsTooLargeIsRefused() throws Exception {
        assertThat(post("d", "x".repeat(1_001), SECRET).statusCode()).isEqualTo(413);
    }
}
