package dev.posthorn.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A property that does not exist was left out silently, and nothing was delivered. */
@ExtendWith(OutputCaptureExtension.class)
class PropertiesCheckTest {

    private static final Path SETTINGS_OF_THE_HUB = Path.of("../docs/settings.md");

    private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PropertiesAutoConfiguration.class))
            .withPropertyValues("posthorn.role=writer");

    private void isRefused(String property, String meant) {
        withoutDataSource
                .withPropertyValues(property + "=x")
                .run(context -> assertThat(context.getStartupFailure())
                        .as(property)
                        .isInstanceOf(UnknownPropertyException.class)
                        .hasMessageContaining(property + " (")
                        .hasMessageContaining(meant));
    }

    private void isTaken(String... properties) {
        withoutDataSource
                .withPropertyValues(Arrays.stream(properties)
                        .map(each -> each.contains("=") ? each : each + "=1")
                        .toArray(String[]::new))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aSlipIsRefusedWithWhatWasMeant() {
        isRefused("posthorn.rol", "did you mean posthorn.role?");
        isRefused("posthorn.subscription.orders", "did you mean posthorn.subscriptions.orders?");
        isRefused("posthorn.subscription.orders.kafka.topc", "did you mean posthorn.subscriptions.orders.kafka.topic?");
        isRefused(
                "posthorn.subscriptions.orders.kafka.topc", "did you mean posthorn.subscriptions.orders.kafka.topic?");
        isRefused("posthorn.kafka.bootstrap-server", "did you mean posthorn.kafka.bootstrap-servers?");
        isRefused("posthorn.inbox.enable", "did you mean posthorn.inbox.enabled?");
        isRefused("posthorn.role.of-this", "did you mean posthorn.role?");
    }

    @Test
    void aPropertyInTheWrongPlaceIsRefusedWithTheRightOne() {
        isRefused("posthorn.subscriptions.orders.topic", "did you mean posthorn.subscriptions.orders.kafka.topic?");
        isRefused("posthorn.bootstrap-servers", "did you mean posthorn.kafka.bootstrap-servers?");
        isRefused("posthorn.retention.log", "did you mean posthorn.relay.retention.log?");
    }

    /** Its value was left out silently. */
    @Test
    void aGroupHasNoValue() {
        isRefused("posthorn.schema", "did you mean posthorn.schema.install or another one under it?");
        isRefused("posthorn.subscriptions.orders", "did you mean posthorn.subscriptions.orders.types or another one");
        isTaken("posthorn.schema=", "posthorn.subscriptions=");
    }

    @Test
    void whatIsLikeNothingIsRefusedToo() {
        withoutDataSource
                .withPropertyValues("posthorn.xylophones=3")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("posthorn.xylophones (")
                        .message()
                        .doesNotContain("did you mean"));
    }

    @Test
    void everyWayOfWritingThatSpringTakesIsTaken() {
        isTaken("posthorn.dataSource=x", "posthorn.data_source=x", "POSTHORN.DATA-SOURCE=x");
        isTaken("posthorn.subscriptions.orderEvents.kafka.bootstrapServers=x:1");
        isTaken("posthorn.subscriptions.order-events.kafka.topic");
        isTaken("posthorn.subscriptions[order.events].kafka.topic", "posthorn.subscriptions[Orders].sink");
        isTaken("posthorn.subscriptions.orders.types[0]=a", "posthorn.subscriptions.orders.types[1]=b");
        isTaken("posthorn.subscriptions.orders.retry.delays[0]=1s", "posthorn.subscriptions.orders.http.retry-on=409");
    }

    @Test
    void whatStandsInAMapIsOthersBusiness() {
        isTaken(
                "posthorn.kafka.properties.security.protocol=SSL",
                "posthorn.kafka.properties[sasl.jaas.config]=x",
                "posthorn.inbox.kafka-properties.isolation.level=x",
                "posthorn.subscriptions.orders.headers.x-tenant=blue",
                "posthorn.subscriptions.orders.kafka.topics.order.placed=orders",
                "posthorn.subscriptions.orders.kafka.properties.linger.ms=5",
                "posthorn.subscriptions.orders.http.headers.X-Tenant=blue");
    }

    private ApplicationContextRunner with(Map<String, Object> variables) {
        return withoutDataSource.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)));
    }

    private void isRefusedAsVariable(String variable, String meant) {
        with(Map.of(variable, "x"))
                .run(context -> assertThat(context.getStartupFailure())
                        .as(variable)
                        .isInstanceOf(UnknownPropertyException.class)
                        .hasMessageContaining(variable + " (an environment variable): did you mean " + meant));
    }

    @Test
    void aVariableThatIsAlmostAPropertyIsRefused() {
        isRefusedAsVariable("POSTHORN_ROL", "POSTHORN_ROLE, which is posthorn.role?");
        isRefusedAsVariable(
                "POSTHORN_SUBSCRIPTION_ORDERS_KAFKA_TOPIC",
                "POSTHORN_SUBSCRIPTIONS_ORDERS_KAFKA_TOPIC, which is posthorn.subscriptions.orders.kafka.topic?");
        isRefusedAsVariable("POSTHORN_SUBSCRIPTIONS_ORDERS_KAFKA_TOPC", "POSTHORN_SUBSCRIPTIONS_ORDERS_KAFKA_TOPIC");
        isRefusedAsVariable("POSTHORN_KAFKA_BOOTSTRAP_SERVER", "POSTHORN_KAFKA_BOOTSTRAPSERVERS");
    }

    @Test
    void variablesOfPropertiesAreTakenHoweverTheyAreWritten(CapturedOutput output) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("POSTHORN_KAFKA_BOOTSTRAPSERVERS", "a:1");
        variables.put("POSTHORN_KAFKA_BOOTSTRAP_SERVERS", "a:1");
        variables.put("POSTHORN_RELAY_RETENTION_INBOX_ENTRIES", "1d");
        variables.put("POSTHORN_KAFKA_PROPERTIES_SECURITY_PROTOCOL", "SSL");
        variables.put("POSTHORN_SUBSCRIPTIONS_ORDERS_KAFKA_TOPIC", "orders");
        variables.put("POSTHORN_SUBSCRIPTIONS_ORDER_EVENTS_KAFKA_TOPIC", "orders");
        variables.put("POSTHORN_SUBSCRIPTIONS_ORDERS_TYPES_0", "order.*");
        variables.put("POSTHORN_SUBSCRIPTIONS_ORDERS_RETRY_MAXATTEMPTS", "3");
        variables.put("posthorn_role", "writer");
        with(variables).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("environment variables");
    }

    /** A service named posthorn in Kubernetes, the launcher, and a hub that shares the file of its variables. */
    @Test
    void variablesOfOthersAreToldAndNotRefused(CapturedOutput output) throws IOException {
        Map<String, Object> variables = new HashMap<>();
        List.of(
                        "POSTHORN_PORT",
                        "POSTHORN_PORT_8080_TCP_ADDR",
                        "POSTHORN_SERVICE_HOST",
                        "POSTHORN_HOME",
                        "POSTHORN",
                        "_",
                        "POSTHORN_JAVA_OPTS")
                .forEach(each -> variables.put(each, "x"));
        Pattern.compile("`(posthorn\\.[a-z.-]+[a-z])`")
                .matcher(Files.readString(SETTINGS_OF_THE_HUB))
                .results()
                .forEach(each -> variables.put(
                        each.group(1).replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT), "5"));
        assertThat(variables).containsKey("POSTHORN_DATABASE_URL").hasSizeGreaterThan(30);
        with(variables).run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("The environment variables [", "POSTHORN_PORT_8080_TCP_ADDR", "they are ignored")
                .doesNotContain("POSTHORN_RELAY_WORKERS");
    }

    @Test
    void whatAnotherOnTheClassPathKnowsIsItsBusiness(@TempDir Path folder) throws Exception {
        Path metadata =
                Files.createDirectories(folder.resolve("META-INF")).resolve("spring-configuration-metadata.json");
        Files.writeString(metadata, """
            {"properties": [{"name": "posthorn.database.url", "type": "java.lang.String"},
                            {"name": "posthorn.event-types", "type": "java.util.List<java.lang.String>"}]}
            """);
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            ApplicationContextRunner withHub = withoutDataSource.withClassLoader(loader);
            withHub.withPropertyValues("posthorn.database.url=x", "posthorn.event-types[0]=y")
                    .run(context -> assertThat(context).hasNotFailed());
            withHub.withPropertyValues("posthorn.database.ur=x")
                    .run(context -> assertThat(context).hasFailed());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(PropertiesAutoConfiguration.class)
    static class Application {}

    @Test
    void theReportNamesFileAndLineOfEach(@TempDir Path folder, CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("application.yaml"), """
            posthorn:
              rol: writer
              subscriptions:
                orders:
                  kafka.topc: swordfish
            ---
            spring.config.activate.on-profile: other
            posthorn.unseen: 1
            """);
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .build();
        assertThatThrownBy(() -> application.run("--spring.config.location=" + file.toUri(), "--posthorn.inbx.a=1"));
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "Posthorn has no such property")
                .contains("posthorn.rol (", "application.yaml] - 2:8): did you mean posthorn.role?")
                .contains("posthorn.subscriptions.orders.kafka.topc (", "application.yaml] - 5:19): did you mean")
                .contains("posthorn.inbx.a (\"posthorn.inbx.a\" from property source \"commandLineArgs\")")
                .contains("docs/spring-boot.md lists all properties")
                .doesNotContain("swordfish", "posthorn.unseen", "\tat ");
    }
}
