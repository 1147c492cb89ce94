package dev.posthorn.spring.operating;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.audit.Audit;
import dev.posthorn.audit.AuditQuery;
import dev.posthorn.deadletter.Commands;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.deadletter.Discards;
import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.replay.Replays;
import dev.posthorn.sink.Outcome;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Through a real port, on an application with a receiver that refuses what it is told to. */
class PosthornEndpointTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final AtomicBoolean REFUSES = new AtomicBoolean(true);

    private static ConfigurableApplicationContext application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Subscription orders() {
            return Subscription.to("orders", RecordingSink.oneAtATime().answering(Application::answer))
                    .lanes(1)
                    .build();
        }

        private static Outcome answer(RecordedEvent event) {
            return REFUSES.get() && event.event().type().startsWith("bad")
                    ? new Outcome.Reject("no such order")
                    : Outcome.DELIVERED;
        }

        /** As security does it: whoever says who he is, is so. */
        @Bean
        Filter login() {
            return (request, response, chain) -> chain.doFilter(new LoggedIn((HttpServletRequest) request), response);
        }
    }

    private static final class LoggedIn extends HttpServletRequestWrapper {

        LoggedIn(HttpServletRequest request) {
            super(request);
        }

        @Override
        public @Nullable Principal getUserPrincipal() {
            String name = getHeader("X-User");
            return name == null ? null : () -> name;
        }
    }

    @BeforeAll
    static void start() {
        application = run("--management.endpoints.web.exposure.include=posthorn");
    }

    private static ConfigurableApplicationContext run(String... arguments) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "spring.application.name=shop",
                        "server.port=0",
                        "spring.datasource.url=" + TestServer.database(),
                        "spring.flyway.enabled=false",
                        "management.otlp.metrics.export.enabled=false",
                        "spring.autoconfigure.exclude="
                                + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                                + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,"
                                + "org.springframework.boot.jooq.autoconfigure.JooqAutoConfiguration")
                .run(arguments);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private record Answer(int status, JsonNode body) {}

    private static URI uri(ConfigurableApplicationContext of, String path) {
        int port = ((WebServerApplicationContext) of).getWebServer().getPort();
        return URI.create("http://localhost:" + port + "/actuator" + path);
    }

    private static Answer get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(application, path)).build());
    }

    private static Answer post(String user, String json) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(application, "/posthorn/replays"))
                .header("Content-Type", "application/json")
                .header("X-User", user)
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    private static Answer send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        String body = response.body();
        return new Answer(
                response.statusCode(), JsonMapper.shared().readTree(body == null || body.isEmpty() ? "{}" : body));
    }

    private static void record(String type, String key) {
        new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> application
                        .getBean(Outbox.class)
                        .record(Event.builder()
                                .source("shop")
                                .type(type)
                                .key(key)
                                .header("x-tenant", "blue")
                                .json("{\"n\":1}")
                                .build()));
    }

    private static JsonNode letter(String type) {
        JsonNode letters = await().atMost(60, SECONDS).until(() -> letters(type), found -> found.size() == 1);
        return letters.get(0);
    }

    private static JsonNode letters(String type) throws IOException, InterruptedException {
        return get("/posthorn/dead-letters?subscription=orders&type=" + type)
                .body()
                .path("letters");
    }

    private static int delivered(long replay) throws IOException, InterruptedException {
        return get("/posthorn/replays/" + replay).body().path("delivered").asInt();
    }

    @Test
    void aDeadLetterIsSeenLookedAtAndReplayedWithReasonAndActor() throws Exception {
        record("bad.placed", "o1");
        JsonNode letter = letter("bad.placed");
        assertThat(letter.path("errorMessage").asString()).isEqualTo("no such order");
        JsonNode status = get("/posthorn").body();
        assertThat(status.path("relay").asString()).isEqualTo("running");
        JsonNode orders = status.path("subscriptions").get(0);
        assertThat(orders.path("subscription").asString()).isEqualTo("orders");
        assertThat(orders.path("deadLetters").asInt()).isPositive();
        assertThat(orders.path("pending").path("value").isNumber()).isTrue();
        assertThat(orders.path("paused").asBoolean(true)).isFalse();
        assertThat(orders.has("breaker")).isTrue();

        JsonNode one =
                get("/posthorn/dead-letters/" + letter.path("id").asLong()).body();
        assertThat(one.path("payload").asString()).isEqualTo("{\"n\":1}");
        assertThat(one.path("headers").path("x-tenant").asString()).isEqualTo("blue");
        assertThat(one.path("made").size()).isEqualTo(1);
        assertThat(one.path("letter").path("lastFailedAt").asString()).endsWith("Z");

        String selection = "{\"subscription\": \"orders\", \"type\": \"bad.placed\"";
        Answer preview = post("ann", selection + ", \"dryRun\": true}");
        assertThat(preview.status()).isEqualTo(200);
        assertThat(preview.body().path("count").asInt()).isEqualTo(1);

        REFUSES.set(false);
        Answer started = post("ann", selection + ", \"reason\": \"the order is there now\"}");
        assertThat(started.status()).as("%s", started.body()).isEqualTo(202);
        assertThat(started.body().path("requestedBy").asString()).isEqualTo("ann");
        long replay = started.body().path("id").asLong();
        await().atMost(60, SECONDS).until(() -> delivered(replay) == 1);
        assertThat(get("/posthorn/replays?subscription=orders")
                        .body()
                        .path("replays")
                        .size())
                .isEqualTo(1);
        assertThat(application
                        .getBean(Audit.class)
                        .find(AuditQuery.builder().build())
                        .entries())
                .anySatisfy(entry ->
                        assertThat(entry.toString()).contains("replay.start", "ann", "the order is there now"));
        REFUSES.set(true);
    }

    @Test
    void theBeansAreOnTheRelaysDataSourceAndSchema() {
        record("bad.beans", "o2");
        letter("bad.beans");
        assertThat(application
                        .getBean(DeadLetters.class)
                        .find(DeadLetterQuery.builder().type("bad.beans").build())
                        .letters())
                .hasSize(1);
        List.of(Commands.class, Discards.class, Replays.class, Subscriptions.class, EventStatuses.class)
                .forEach(each -> assertThat(application.getBean(each)).isNotNull());
    }

    @Test
    void whatIsAskedWronglyIsRefusedWithTheFieldAndTheRemedy() throws Exception {
        assertThat(post("ann", "{\"subscripton\": \"orders\", \"type\": \"x\"}").status())
                .as("a misspelt field would replay more than was meant")
                .isEqualTo(400);
        Answer nothing = post("ann", "{\"reason\": \"all of it\"}");
        assertThat(nothing.status()).isEqualTo(400);
        assertThat(nothing.body().path("error").asString()).contains("nothing says which", "eventId");
        Answer misspelt = get("/posthorn/dead-letters?subscription=ordres");
        assertThat(misspelt.status()).isEqualTo(404);
        assertThat(misspelt.body().path("error").asString()).contains("no subscription named 'ordres'");
        assertThat(get("/posthorn/dead-letters?typ=x").status()).isEqualTo(400);
        assertThat(get("/posthorn/replays?type=x").status()).isEqualTo(400);
        assertThat(get("/posthorn/dead-letters?limit=0").status()).isEqualTo(400);
        assertThat(get("/posthorn/dead-letters/first").status()).isEqualTo(400);
        assertThat(get("/posthorn/dead-letters/99999").status()).isEqualTo(404);
        assertThat(get("/posthorn/letters").body().path("error").asString()).contains("dead-letters and replays");
    }

    @Test
    void unlessItIsExposedThereIsNoEndpoint() throws Exception {
        try (ConfigurableApplicationContext unexposed = run()) {
            assertThat(send(HttpRequest.newBuilder(uri(unexposed, "/posthorn")).build())
                            .status())
                    .isEqualTo(404);
            assertThat(unexposed.getBeansOfType(PosthornEndpoint.class)).isEmpty();
            assertThat(unexposed.getBean(DeadLetters.class)).isNotNull();
        }
    }

    @Test
    void withoutAnActuatorThereAreTheBeans() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        OperatingAutoConfiguration.class,
                        EndpointAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + TestServer.database(), "posthorn.role=writer")
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(DeadLetters.class));
    }
}
