package dev.posthorn.spring.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.event.Event;
import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.relay.RelayAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.spring.shop.Threads;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners in applications of all kinds: whoever has the annotation hears of what comes by the topic. */
class ListenersTest {

    private static final String TOPIC = "heard-" + UUID.randomUUID();

    /** What each listener has heard, by its name: beans may come and go. */
    private static final Map<String, List<String>> HEARD = new ConcurrentHashMap<>();

    private static final String ID = UUID.randomUUID().toString();

    private static final String DATABASE = TestServer.database();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    PropertiesAutoConfiguration.class,
                    PosthornAutoConfiguration.class,
                    OutboxAutoConfiguration.class,
                    RelayAutoConfiguration.class,
                    InboxAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=" + DATABASE,
                    "spring.application.name=shop",
                    "posthorn.role=writer",
                    "topic=" + TOPIC,
                    "posthorn.kafka.bootstrap-servers=" + TestServer.kafka().bootstrapServers());

    /** One event in the topic for all of them. */
    @BeforeAll
    static void publish() {
        TestServer.kafka().createTopic(TOPIC, 1);
        PGSimpleDataSource dataSource = dataSource(DATABASE);
        new Schema(SchemaName.DEFAULT).install(dataSource);
        try (Relay relay = Relay.builder(dataSource)
                .subscribe(Subscription.to(
                                "topic",
                                KafkaSink.builder(TestServer.kafka().bootstrapServers())
                                        .topic(TOPIC)
                                        .build())
                        .fromBeginning()
                        .build())
                .start()) {
            new JdbcTemplate(dataSource).execute((Connection connection) -> {
                connection.setAutoCommit(false);
                dev.posthorn.Outbox.create()
                        .record(
                                connection,
                                Event.builder()
                                        .source("shop")
                                        .type("order.placed")
                                        .key(ID)
                                        .json("{\"id\":\"" + ID + "\"}")
                                        .build());
                connection.commit();
                return true;
            });
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> relay.lanes().size() == 4 && delivered(new JdbcTemplate(dataSource)));
        }
    }

    private static boolean delivered(JdbcTemplate jdbc) {
        return jdbc.queryForList("SELECT status FROM posthorn.event_status", String.class)
                .equals(List.of("DELIVERED"));
    }

    @AfterAll
    static void forget() {
        HEARD.clear();
    }

    private static PGSimpleDataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }

    private static void heard(String name, Event event) {
        HEARD.computeIfAbsent(name, unused -> new CopyOnWriteArrayList<>()).add(String.valueOf(event.key()));
    }

    private static void awaitHeard(String name) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(HEARD.get(name)).containsExactly(ID));
    }

    static class Eager {
        @InboxListener(topics = "${topic}", consumer = "lazily-by-property")
        void on(Event event) {
            heard("lazily-by-property", event);
        }
    }

    @Configuration
    static class LazyByProperty {
        @Bean
        Eager eager() {
            return new Eager();
        }
    }

    /** Nobody asks for the bean, so it was never made and never heard of anything. */
    @Test
    void underLazyInitializationAListenerStartsAllTheSame() {
        application
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withUserConfiguration(LazyByProperty.class)
                .run(context -> awaitHeard("lazily-by-property"));
    }

    static class ItsOwn {
        @InboxListener(topics = "${topic}", consumer = "lazy-by-annotation")
        void on(Event event) {
            heard("lazy-by-annotation", event);
        }
    }

    interface Hidden {}

    static class InHiding implements Hidden {
        @InboxListener(topics = "${topic}", consumer = "hidden")
        void on(Event event) {
            heard("hidden", event);
        }
    }

    @Configuration
    static class LazyByAnnotation {
        @Bean
        @Lazy
        ItsOwn lazy() {
            return new ItsOwn();
        }

        @Bean
        @Lazy
        Hidden hidden() {
            return new InHiding();
        }
    }

    @Test
    void aLazyBeanWithAListenerIsMadeForItAndOneThatHidesItIsTold() {
        application.withUserConfiguration(LazyByAnnotation.class).run(context -> {
            awaitHeard("lazy-by-annotation");
            assertThatThrownBy(() -> context.getBean("hidden"))
                    .hasRootCauseInstanceOf(SetupException.class)
                    .hasMessageContaining("Declare the bean by its class");
        });
    }

    static class Fresh {
        private final UUID instance = UUID.randomUUID();

        @InboxListener(topics = "${topic}", consumer = "prototype")
        void on(Event event) {
            assertThat(instance).isNotNull();
            heard("prototype", event);
        }
    }

    @Configuration
    static class Prototypes {
        @Bean
        @Scope("prototype")
        Fresh fresh() {
            return new Fresh();
        }
    }

    /** Each instance was a consumer of the same name, or none if it came too late. */
    @Test
    void aPrototypeIsOneConsumerHoweverManyInstancesThereAre() {
        application.withUserConfiguration(Prototypes.class).run(context -> {
            context.getBean(Fresh.class);
            context.getBean(Fresh.class);
            awaitHeard("prototype");
        });
    }

    @Configuration
    static class OfRequests {
        @Bean
        @Scope("request")
        Eager eager() {
            return new Eager();
        }
    }

    @Test
    void aListenerInABeanOfARequestIsTold() {
        application
                .withUserConfiguration(OfRequests.class)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("scope 'request'"));
    }

    static class Five {
        @InboxListener(topics = "${topic}", consumer = "one")
        void one(Event event) {
            heard("one", event);
        }

        @InboxListener(topics = "${topic}", consumer = "two")
        void two(Event event) {}

        @InboxListener(topics = "${topic}", consumer = "three")
        void three(Event event) {}

        @InboxListener(topics = "${topic}", consumer = "four")
        void four(Event event) {}

        @InboxListener(topics = "${topic}", consumer = "five")
        void five(Event event) {
            heard("five", event);
        }
    }

    @Configuration
    static class Listeners {
        @Bean
        Five five() {
            return new Five();
        }
    }

    /** Each had a relay of its own, on the application's connections: with a pool of two nothing came any more. */
    @Test
    void fiveListenersOfAWriterLeaveAPoolOfTwoToTheApplication() {
        application
                .withUserConfiguration(Listeners.class)
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=2")
                .run(context -> {
                    awaitHeard("one");
                    awaitHeard("five");
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                        assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                                .isZero();
                        assertThat(Threads.of("posthorn-lease-keeper")).hasSize(1);
                    });
                });
        Threads.assertNoneOfPosthorn();
    }

    static class Poisoned {
        @InboxListener(topics = "${topic}", consumer = "poisoned", maxAttempts = 1)
        void on(Event event) {
            heard("poisoned", event);
            throw new IllegalStateException("never");
        }
    }

    @Configuration
    static class TwoDatabases {
        @Bean
        Poisoned poisoned() {
            return new Poisoned();
        }

        @Bean
        @Primary
        DataSource business() {
            return dataSource(DATABASE);
        }

        @Bean
        DataSource elsewhere() {
            PGSimpleDataSource dataSource = dataSource(TestServer.database());
            new Schema(SchemaName.DEFAULT).install(dataSource);
            return dataSource;
        }
    }

    /** Its dead letters had no subscription where they were looked for, and the offset stayed where it was. */
    @Test
    void aRelayThatDeliversFromElsewhereLeavesTheListenersLettersWhereTheyBelong() {
        application
                .withUserConfiguration(TwoDatabases.class)
                .withPropertyValues("posthorn.role=both", "posthorn.relay.data-source=elsewhere")
                .run(context -> {
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThat(jdbc.queryForList("""
                                            SELECT s.name FROM posthorn.dead_letter d
                                              JOIN posthorn.subscription s ON s.id = d.subscription_id
                                            """, String.class))
                                    .containsExactly("poisoned"));
                });
    }

    static class Two {
        @InboxListener(topics = "${topic}", consumer = "begun")
        void begun(Event event) {}

        @InboxListener(topics = "${topic}", consumer = "never-begun", properties = "isolation.level=${level}")
        void neverBegun(Event event) {}
    }

    @Configuration
    static class HalfWay {
        @Bean
        Two two() {
            return new Two();
        }
    }

    /** The first one went on in an application that had failed. */
    @Test
    void aStartThatFailsHalfWayLeavesNothingBehind() {
        application
                .withUserConfiguration(HalfWay.class)
                .withPropertyValues("level=nonsense")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("isolation.level"));

        Threads.assertNoneOfPosthorn();
    }

    @Test
    void settingsOfConsumersAreGivenApartFromThoseOfProducers() {
        application
                .withUserConfiguration(HalfWay.class)
                .withPropertyValues(
                        "level=read_committed",
                        "posthorn.kafka.properties.linger.ms=5",
                        "posthorn.inbox.kafka-properties.group.protocol=classic")
                .run(context -> assertThat(context).hasNotFailed());
        application
                .withUserConfiguration(HalfWay.class)
                .withPropertyValues("level=read_committed", "posthorn.inbox.kafka-properties.fetch.mim.bytes=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("'fetch.mim.bytes' is unknown"));
    }

    /** Takes its time for every event. */
    static class Slow {

        private final Set<String> busy = ConcurrentHashMap.newKeySet();

        private void take(String listener) throws InterruptedException {
            busy.add(listener);
            TimeUnit.SECONDS.sleep(5);
        }

        @InboxListener(topics = "${topic}", consumer = "slow-0", threads = 1)
        void take0(Event event) throws InterruptedException {
            take("slow-0");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-1", threads = 1)
        void take1(Event event) throws InterruptedException {
            take("slow-1");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-2", threads = 1)
        void take2(Event event) throws InterruptedException {
            take("slow-2");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-3", threads = 1)
        void take3(Event event) throws InterruptedException {
            take("slow-3");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-4", threads = 1)
        void take4(Event event) throws InterruptedException {
            take("slow-4");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-5", threads = 1)
        void take5(Event event) throws InterruptedException {
            take("slow-5");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-6", threads = 1)
        void take6(Event event) throws InterruptedException {
            take("slow-6");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-7", threads = 1)
        void take7(Event event) throws InterruptedException {
            take("slow-7");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-8", threads = 1)
        void take8(Event event) throws InterruptedException {
            take("slow-8");
        }

        @InboxListener(topics = "${topic}", consumer = "slow-9", threads = 1)
        void take9(Event event) throws InterruptedException {
            take("slow-9");
        }
    }

    @Configuration
    static class SlowListeners {
        @Bean
        Slow slow() {
            return new Slow();
        }
    }

    /** One after another it would be ten times as long, as each takes the next event while it waits for its turn. */
    @Test
    void tenListenersAtWorkStopSideBySide() {
        String topic = "slow-" + UUID.randomUUID();
        TestServer.kafka().createTopic(topic, 1);
        long[] stopped = new long[1];
        application
                .withUserConfiguration(SlowListeners.class)
                .withPropertyValues(
                        "posthorn.role=both",
                        "topic=" + topic,
                        "posthorn.subscriptions.slow.kafka.topic=" + topic,
                        "spring.datasource.hikari.maximum-pool-size=10")
                .run(context -> {
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> IntStream.range(0, 40)
                                    .forEach(
                                            i -> context.getBean(Outbox.class).record(Shop.event("work", "key-" + i))));
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(60))
                            .until(() -> context.getBean(Slow.class).busy.size() == 10);
                    stopped[0] = System.nanoTime();
                });

        assertThat(Duration.ofNanos(System.nanoTime() - stopped[0])).isLessThan(Duration.ofSeconds(30));
        Threads.assertNoneOfPosthorn();
    }
}
