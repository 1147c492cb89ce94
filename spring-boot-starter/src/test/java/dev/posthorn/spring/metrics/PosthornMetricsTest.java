package dev.posthorn.spring.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Outcome;
import dev.posthorn.spring.setup.WatchedDataSource;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testkit.FreshDatabase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class PosthornMetricsTest {

    private static final FreshDatabase DATABASE = FreshDatabase.create();

    @BeforeAll
    static void start() {
        new Schema(SchemaName.DEFAULT).install(DATABASE.dataSource());
    }

    private static ApplicationContextRunner application(DataSource dataSource) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PosthornMetricsAutoConfiguration.class, PosthornHealthAutoConfiguration.class))
                .withBean(WatchedDataSource.class, () -> new WatchedDataSource(dataSource));
    }

    private static ApplicationContextRunner measured() {
        return application(DATABASE.dataSource()).withBean(MeterRegistry.class, SimpleMeterRegistry::new);
    }

    private static Health health(ApplicationContextRunner application) {
        Health[] health = new Health[1];
        application.run(context -> health[0] = context.getBean("posthornHealthIndicator", HealthIndicator.class)
                .health());
        return health[0];
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> of(String subscription, Health health) {
        return ((Map<String, Map<String, Object>>) health.getDetails().get("subscriptions")).get(subscription);
    }

    private static Relay relay(String subscription, Outcome outcome, RelayListener listener) {
        return Relay.builder(DATABASE.dataSource())
                .listener(listener)
                .subscribe(
                        Subscription.to(subscription, RecordingSink.oneAtATime().answering(event -> outcome))
                                .lanes(1)
                                .filter(Filter.types(subscription))
                                .build())
                .start();
    }

    private static void record(String type) throws SQLException {
        try (Connection connection = DATABASE.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Outbox.create()
                    .record(
                            connection,
                            Event.builder().source("shop").type(type).json("{}").build());
            connection.commit();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithRelay {

        @Bean
        Relay relay(RelayListener listener) {
            return PosthornMetricsTest.relay("counted", new Outcome.Reject("no"), listener);
        }
    }

    @Test
    void whatTheRelayDoesIsCountedAndHowSubscriptionsAreDoingIsRead() {
        measured().withUserConfiguration(WithRelay.class).run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(context).hasSingleBean(RelayListener.class).hasSingleBean(ConsumerListener.class);
            Relay relay = context.getBean(Relay.class);
            await().atMost(60, SECONDS).until(() -> !relay.lanes().isEmpty());
            record("counted");
            await().atMost(60, SECONDS).until(() -> isCounted(registry));
            await().atMost(60, SECONDS).untilAsserted(() -> {
                context.getBean(MetricsReader.class).readOnce();
                assertThat(deadLetters(registry)).isEqualTo(1);
            });
            assertThat(registry.get("posthorn.database.up").gauge().value()).isEqualTo(1);
        });
    }

    private static boolean isCounted(MeterRegistry registry) {
        Counter counter = registry.find("posthorn.dead.lettered")
                .tag("subscription", "counted")
                .counter();
        return counter != null;
    }

    private static double deadLetters(MeterRegistry registry) {
        Gauge gauge = registry.find("posthorn.dead.letters")
                .tag("subscription", "counted")
                .gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    /** Its user may not read them, and a figure that says that the database is away would be wrong. */
    @Test
    void anInstanceWithoutARelayTellsNothingAboutSubscriptions() {
        measured().run(context -> {
            context.getBean(MetricsReader.class).readOnce();
            assertThat(context.getBean(MeterRegistry.class)
                            .find("posthorn.database.up")
                            .gauge())
                    .isNull();
        });
    }

    @Test
    void theReaderStopsWithTheApplication() {
        Set<Thread> ofOthers = readers();
        measured().run(context -> {
            assertThat(context.getBean(MetricsReader.class).isRunning()).isTrue();
            assertThat(readers()).hasSize(ofOthers.size() + 1);
        });
        assertThat(readers()).isEqualTo(ofOthers);
    }

    @Test
    void theReaderGoesOnAfterAFailureAndCanBeStartedAgain() {
        Set<Thread> ofOthers = readers();
        AtomicInteger reads = new AtomicInteger();
        MetricsReader reader = new MetricsReader(Duration.ofMillis(5), () -> {
            if (reads.incrementAndGet() == 1) {
                throw new IllegalStateException("expected by the test");
            }
        });
        for (int i = 1; i <= 2; i++) {
            reads.set(0);
            reader.start();
            await().atMost(60, SECONDS).until(() -> reads.get() >= 3);
            reader.stop();
            assertThat(reader.isRunning()).isFalse();
            assertThat(readers()).isEqualTo(ofOthers);
        }
    }

    /** Other tests' applications may live on in this JVM. */
    private static Set<Thread> readers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("posthorn-metrics-reader"))
                .collect(Collectors.toSet());
    }

    @Test
    void withoutARegistryOrTheModuleThereAreNoMetrics() {
        application(DATABASE.dataSource())
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RelayListener.class));
        measured()
                .withClassLoader(new FilteredClassLoader("dev.posthorn.metrics"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MetricsReader.class));
        measured()
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MetricsReader.class));
        measured()
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("posthornHealthIndicator"));
    }

    @Test
    void deadLettersAreADetailAndNoReasonToBeDown() throws SQLException {
        try (Relay relay = relay("rejecting", new Outcome.Reject("no"), new RelayListener() {})) {
            await().atMost(60, SECONDS).until(() -> !relay.lanes().isEmpty());
            record("rejecting");
            ApplicationContextRunner application =
                    application(DATABASE.dataSource()).withBean(Relay.class, () -> relay);
            Health health =
                    await().atMost(60, SECONDS).until(() -> health(application), PosthornMetricsTest::tellsOfALetter);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("relay", "running").containsEntry("lanes", 1);
            assertThat(of("rejecting", health)).containsEntry("deadLetters", 1L);
        }
    }

    private static boolean tellsOfALetter(Health health) {
        return !Long.valueOf(0).equals(of("rejecting", health).get("deadLetters"));
    }

    @Test
    void aReceiverThatIsAwayIsADetailAndNoReasonToBeDown() throws SQLException {
        try (Relay relay = relay("away", new Outcome.Unavailable("connection refused"), new RelayListener() {})) {
            await().atMost(60, SECONDS).until(() -> !relay.lanes().isEmpty());
            record("away");
            Supplier<Health> look =
                    () -> health(application(DATABASE.dataSource()).withBean(Relay.class, () -> relay));
            Health health = await().atMost(60, SECONDS).until(look::get, PosthornMetricsTest::tellsOfABreaker);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(of("away", health)).containsKeys("oldestAge", "pending");
            assertThat(of("away", health).get("breaker").toString()).contains("connection refused");
        }
    }

    private static boolean tellsOfABreaker(Health health) {
        return of("away", health).containsKey("breaker");
    }

    @Test
    void aRelayThatHasStoppedIsDown() {
        Relay relay = relay("stopped", Outcome.DELIVERED, new RelayListener() {});
        relay.close();
        Health health = health(application(DATABASE.dataSource()).withBean(Relay.class, () -> relay));
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("relay", "stopped");
    }

    @Test
    void anInstanceThatOnlyRecordsIsUpWithoutARelay() {
        Health health = health(application(DATABASE.dataSource()));
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("relay", "none in this instance");
    }

    @Test
    void aSchemaThatIsMissingIsDownAndTheOneThatIsNamedIsLookedAt() {
        Health health = health(
                application(DATABASE.dataSource()).withBean(SchemaName.class, () -> new SchemaName("elsewhere")));
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails().get("schema").toString()).contains("elsewhere is not installed");
    }

    @Test
    void whoMayOnlyRecordIsUp() throws SQLException {
        try (Connection connection = DATABASE.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(new Schema(SchemaName.DEFAULT).roles());
            statement.execute("CREATE ROLE scribe LOGIN PASSWORD 'scribe' IN ROLE posthorn_writer");
        }
        PGSimpleDataSource scribe = DATABASE.server().dataSource(DATABASE.name());
        scribe.setUser("scribe");
        scribe.setPassword("scribe");
        Health health = health(application(scribe));
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails().get("schema").toString()).contains("permission denied");
    }

    @Test
    void theHealthCanBeSwitchedOff() {
        application(DATABASE.dataSource())
                .withPropertyValues("management.health.posthorn.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("posthornHealthIndicator"));
    }
}
