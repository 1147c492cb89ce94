package dev.posthorn.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.OutboxEvent;
import dev.posthorn.spring.inbox.InboxAutoConfiguration;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.relay.RelayAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.spring.shop.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications that are closed while others record in them without a pause, listen and deliver. */
class ShutdownTest {

    private final String database = TestServer.database();
    private final String topic = "closing-" + UUID.randomUUID();
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource());

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
            .withBean(Ledger.class)
            .withPropertyValues(
                    "spring.datasource.url=" + database,
                    // Customers without a pause leave others little of a small pool.
                    "spring.datasource.hikari.maximum-pool-size=10",
                    "spring.application.name=shop",
                    "topic=" + topic,
                    "posthorn.subscriptions.orders.kafka.topic=" + topic,
                    "posthorn.kafka.bootstrap-servers=" + TestServer.kafka().bootstrapServers());

    @OutboxEvent(type = "order.placed", key = "id")
    record Placed(String id) {}

    static class Ledger {

        private final JdbcTemplate jdbc;

        Ledger(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @InboxListener(topics = "${topic}", consumer = "ledger")
        void on(Event event) {
            jdbc.update("INSERT INTO booked (id) VALUES (?)", event.key());
        }
    }

    /** Places orders until it cannot any more, or is told to stop. */
    private static final class Customer extends Thread {

        private final TransactionTemplate transaction;
        private final JdbcTemplate jdbc;
        private final Consumer<String> recording;
        private final Set<String> placed = ConcurrentHashMap.newKeySet();
        private volatile boolean stopping;
        private @Nullable Exception failure;

        Customer(ApplicationContext context, boolean annotated) {
            super("customer");
            this.transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            this.jdbc = context.getBean(JdbcTemplate.class);
            Outbox outbox = context.getBean(Outbox.class);
            this.recording = annotated
                    ? id -> context.publishEvent(new Placed(id))
                    : id -> outbox.record(Shop.event("order.placed", id));
        }

        @Override
        public void run() {
            try {
                while (!stopping) {
                    String id = UUID.randomUUID().toString();
                    transaction.executeWithoutResult(status -> {
                        jdbc.update("INSERT INTO placed (id) VALUES (?)", id);
                        recording.accept(id);
                    });
                    placed.add(id);
                }
            } catch (Exception e) {
                failure = e;
            }
        }

        void end() throws InterruptedException {
            stopping = true;
            join();
        }
    }

    private List<Customer> customers = List.of();

    @BeforeEach
    void open() {
        TestServer.kafka().createTopic(topic, 2);
        jdbc.execute("CREATE TABLE placed (id text PRIMARY KEY); CREATE TABLE booked (id text)");
    }

    /** Returns when the application is busy with what they do, and goes on. */
    private void send(Customer... sent) {
        customers = List.of(sent);
        customers.forEach(Thread::start);
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> ids("placed").size() > 150 && ids("booked").size() > 20);
    }

    private List<String> ids(String table) {
        return jdbc.queryForList("SELECT id FROM " + table, String.class);
    }

    private DataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database);
        return dataSource;
    }

    @Test
    void whatWasCommittedWhileItClosedIsInTheLogAndDeliveredByTheNextStart() throws InterruptedException {
        application.run(context -> send(
                new Customer(context, true),
                new Customer(context, true),
                new Customer(context, false),
                new Customer(context, false)));
        Threads.assertNoneOfPosthorn();
        for (Customer each : customers) {
            each.join();
            assertThat(each.failure)
                    .as("the end of the pool, and nothing of ours")
                    .satisfies(ShutdownTest::isOfTheDatabase);
        }

        requireLogOf(ids("placed"));
        requireDeliveredByTheNextStart();
    }

    private static void isOfTheDatabase(@Nullable Throwable failure) {
        assertThat(Stream.iterate(failure, Objects::nonNull, Throwable::getCause))
                .hasAtLeastOneElementOfType(SQLException.class);
    }

    /**
     * It asked the closed context for the relay that it was to wake, after the commit: whoever had recorded was told that it
     * had failed, and would have done it again.
     */
    @Test
    void aTransactionThatIsCommittedAfterTheEndIsNotToldAsFailed() throws InterruptedException {
        application
                .withBean(DataSource.class, this::dataSource)
                .run(context -> send(new Customer(context, false), new Customer(context, false)));
        Threads.assertNoneOfPosthorn();
        for (Customer each : customers) {
            int before = each.placed.size();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> !each.isAlive() || each.placed.size() > before + 20);
            each.end();
            assertThat(each.failure).isNull();
        }

        requireLogOf(ids("placed"));
    }

    @Configuration
    static class Cashiers {
        @Bean
        Cashier cashier(
                PlatformTransactionManager manager,
                JdbcTemplate jdbc,
                ApplicationEventPublisher events,
                ObjectProvider<Outbox> outbox) {
            return new Cashier(manager, jdbc, events, outbox);
        }
    }

    /** Settles what is left of the day. */
    static class Cashier implements DisposableBean {

        private final TransactionTemplate transaction;
        private final JdbcTemplate jdbc;
        private final ApplicationEventPublisher events;
        private final ObjectProvider<Outbox> outbox;

        Cashier(
                PlatformTransactionManager manager,
                JdbcTemplate jdbc,
                ApplicationEventPublisher events,
                ObjectProvider<Outbox> outbox) {
            this.transaction = new TransactionTemplate(manager);
            this.jdbc = jdbc;
            this.events = events;
            this.outbox = outbox;
        }

        @Override
        public void destroy() {
            transaction.executeWithoutResult(status -> {
                jdbc.update("INSERT INTO placed (id) VALUES ('published'), ('recorded')");
                events.publishEvent(new Placed("published"));
                outbox.getObject().record(Shop.event("order.placed", "recorded"));
            });
        }
    }

    /** The listener for annotated events was taken out before: the row was there, the event was not. */
    @Test
    void whatABeanPublishesInItsLastMomentsIsRecorded() {
        application
                .withUserConfiguration(Cashiers.class)
                .run(context -> assertThat(context).hasNotFailed());

        requireLogOf(List.of("published", "recorded"));
    }

    private void requireLogOf(List<String> placed) {
        assertThat(jdbc.queryForList("SELECT key FROM posthorn.event", String.class))
                .as("the event of every row, and no other")
                .containsExactlyInAnyOrderElementsOf(placed);
        assertThat(ids("placed")).containsExactlyInAnyOrderElementsOf(placed);
        customers.forEach(each -> assertThat(placed).containsAll(each.placed));
    }

    private void requireDeliveredByTheNextStart() {
        List<String> placed = ids("placed");
        assertThat(ids("booked")).as("there is something left").hasSizeLessThan(placed.size());
        application.run(context -> Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(ids("booked")).containsExactlyInAnyOrderElementsOf(placed)));
        Threads.assertNoneOfPosthorn();
    }
}
