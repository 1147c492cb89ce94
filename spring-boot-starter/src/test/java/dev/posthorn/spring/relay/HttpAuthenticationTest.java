package dev.posthorn.spring.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import dev.posthorn.testkit.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** How HTTP subscriptions show who is sending, by what a receiver gets. */
class HttpAuthenticationTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final Map<String, String> received = new ConcurrentHashMap<>();
    private final Receiver receiver = Receiver.start().answering(this::answer);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        receiver.close();
    }

    private Answer answer(Request request) {
        if (request.path().equals("/token")) {
            received.put("form", request.text());
            return new Answer(
                    200,
                    Map.of("Content-Type", "application/json"),
                    "{\"access_token\":\"t0ken\",\"token_type\":\"Bearer\",\"expires_in\":600}");
        }
        String header = request.path().equals("/api-key") ? "X-Api-Key" : "Authorization";
        received.put(request.path(), String.valueOf(request.header(header)));
        return Answer.status(204);
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withInitializer(new ConfigDataApplicationContextInitializer())
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        RelayAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + TestServer.database(), "spring.application.name=shop");
    }

    private ApplicationContextRunner application(String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("application.yaml"), yaml);
        return application().withPropertyValues("spring.config.location=" + file.toUri());
    }

    @Test
    void receiversAreShownAnApiKeyAnOAuth2TokenAndAJwt() throws IOException {
        application("""
            posthorn.subscriptions:
              one.http:
                url: {url}/api-key
                allow-private-addresses: true
                api-key: {header: X-Api-Key, value: swordfish}
              two.http:
                url: {url}/oauth2
                allow-private-addresses: true
                oauth2:
                  token-url: {url}/token
                  client-id: shop
                  client-secret: hidden
                  scope: [events, orders]
                  audience: billing
                  parameters: {resource: r1}
                  secret-in-form: true
              three.http:
                url: {url}/jwt
                allow-private-addresses: true
                jwt:
                  algorithm: HS256
                  secret: {secret}
                  key-id: k1
                  issuer: shop
                  subject: relay
                  audience: [billing, books]
                  lifetime: 10m
                  claims: {tenant: blue, level: 3, admin: false}
            """.replace("{url}", receiver.url("")).replace("{secret}", SECRET))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(
                                    status -> context.getBean(Outbox.class).record(Shop.event("order.placed", "1")));
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(60))
                            .until(() -> received.keySet().containsAll(List.of("/api-key", "/oauth2", "/jwt")));
                });
        assertThat(received)
                .containsEntry("/api-key", "swordfish")
                .containsEntry("/oauth2", "Bearer t0ken")
                .hasEntrySatisfying(
                        "form",
                        form -> assertThat(form.split("&"))
                                .contains("scope=events+orders", "audience=billing", "resource=r1", "client_id=shop"));
        String[] jwt =
                String.valueOf(received.get("/jwt")).replace("Bearer ", "").split("\\.", -1);
        assertThat(decoded(jwt[0])).contains("\"alg\":\"HS256\"", "\"kid\":\"k1\"");
        assertThat(decoded(jwt[1]))
                .contains("\"iss\":\"shop\"", "\"sub\":\"relay\"", "\"aud\":[\"billing\",\"books\"]")
                .contains("\"tenant\":\"blue\"", "\"level\":3", "\"admin\":false");
    }

    private static String decoded(String part) {
        return new String(Base64.getUrlDecoder().decode(part), UTF_8);
    }

    private void isRefused(String problem, String remedy, String... settings) {
        ApplicationContextRunner application =
                application().withPropertyValues("posthorn.subscriptions.orders.http.url=https://example.com/");
        for (String each : settings) {
            application = application.withPropertyValues("posthorn.subscriptions.orders.http." + each);
        }
        application.run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(SetupException.class)
                .hasMessageContaining(problem)
                .hasMessageContaining(remedy));
    }

    @Test
    void whatIsMissingIsNamed() {
        isRefused(".http.api-key.value is missing", "Set it to the key", "api-key.header=X-Api-Key");
        isRefused(
                ".http.oauth2.client-secret is missing",
                "secret",
                "oauth2.token-url=https://e.com",
                "oauth2.client-id=a");
        isRefused(".http.jwt.algorithm is missing", "HS256, RS256 or ES256", "jwt.secret=" + SECRET);
        isRefused(".http.jwt.key is missing", "an EC key", "jwt.algorithm=es256", "jwt.secret=" + SECRET);
    }

    @Test
    void twoKindsAreRefused() {
        isRefused(
                "orders.http.bearer-token and posthorn.subscriptions.orders.http.jwt are both set",
                "Remove all but one",
                "bearer-token=x",
                "jwt.algorithm=HS256");
        isRefused(
                "orders.http.user and posthorn.subscriptions.orders.http.api-key are both set",
                "Remove all but one",
                "user=x",
                "api-key.header=x");
    }
}
