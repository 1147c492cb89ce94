package dev.posthorn.spring.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import dev.posthorn.spring.shop.ShopApplication;
import dev.posthorn.spring.shop.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Events go out of an application by its relay, to Kafka, and come back to its listener. */
class InboxListenerTest {

    record Order(String id, int total) {}

    /** Books an order by JPA and by JDBC, and fails the first time it is told of one. */
    static class Booking {

        private final Purchases purchases;
        private final JdbcTemplate jdbc;
        private final AtomicInteger calls = new AtomicInteger();
        private final List<String> traces = new CopyOnWriteArrayList<>();

        Booking(Purchases purchases, JdbcTemplate jdbc) {
            this.purchases = purchases;
            this.jdbc = jdbc;
        }

        @InboxListener(topics = "${bookings.topic}", consumer = "bookings", delays = "10ms", threads = 2)
        void on(Order order, Event event) {
            purchases.saveAndFlush(new Purchase(order.id()));
            jdbc.update("UPDATE purchase SET total = total + ? WHERE id = ?", order.total(), order.id());
            traces.add(String.valueOf(event.headers().get("traceparent")));
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("the first attempt fails");
            }
        }
    }

    @Configuration
    static class Listeners {

        @Bean
        Booking booking(Purchases purchases, JdbcTemplate jdbc) {
            return new Booking(purchases, jdbc);
        }
    }

    @Test
    void anEventOfTheOutboxHasItsEffectOnceInTheListenersTransaction() {
        String topic = "bookings-" + UUID.randomUUID();
        TestServer.kafka().createTopic(topic, 2);
        try (ConfigurableApplicationContext context =
                start(TestServer.database(), topic, "posthorn.subscriptions.orders.kafka.topic=" + topic)) {
            String id = UUID.randomUUID().toString();
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(
                            status -> context.getBean(Outbox.class).record(order(id)));

            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(
                                    jdbc.queryForList("SELECT total FROM purchase WHERE id = ?", Integer.class, id))
                            .containsExactly(7));
            assertThat(context.getBean(Booking.class).calls).hasValue(2);
            assertThat(jdbc.queryForObject(
                            "SELECT count(*) FROM posthorn.inbox_entry WHERE consumer = 'bookings'", Integer.class))
                    .isEqualTo(1);
        }
    }

    /** Thirty events, and inbox entries of two consumers, all of them forty days old. */
    private static final String FORTY_DAYS_AGO = """
            INSERT INTO posthorn.event (id, source, type, version, content_type, payload, occurred_at)
            SELECT gen_random_uuid(), 'shop', 'order.placed', 1, 'a/b', '', now() FROM generate_series(1, 30);
            SELECT setval('posthorn.event_seq', (SELECT max(to_seq) FROM posthorn.event_partition));
            UPDATE posthorn.event_partition SET passed_xid = pg_current_xact_id(), passed_at = now() - interval '40 days',
                   passed_era = (SELECT era FROM posthorn.cluster);
            INSERT INTO posthorn.inbox_entry (consumer, event_id, entered_at)
            SELECT consumer, gen_random_uuid(), now() - interval '40 days'
              FROM unnest(ARRAY['bookings', 'somebody else']) AS consumer;
            """;

    private static final String CONSUMERS = "SELECT consumer FROM posthorn.inbox_entry ORDER BY consumer";

    /** It applied the default retention to all of the schema: the events and both entries were gone. */
    @Test
    void aWriterWithAListenerForgetsTheListenersEntriesAlone() {
        String topic = "bookings-" + UUID.randomUUID();
        TestServer.kafka().createTopic(topic, 1);
        String database = TestServer.database();
        JdbcTemplate jdbc = oldSchema(database);
        try (ConfigurableApplicationContext context = start(database, topic, "posthorn.role=writer")) {
            assertThat(context.isRunning()).isTrue();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> !jdbc.queryForList(CONSUMERS, String.class).contains("bookings"));
            assertThat(jdbc.queryForList(CONSUMERS, String.class)).containsExactly("somebody else");
            assertThat(jdbc.queryForObject("SELECT count(*) FROM posthorn.event", Integer.class))
                    .isEqualTo(30);
        }
    }

    @Test
    void listenersEntriesAreKeptForAsLongAsTheirPropertySays() {
        String topic = "bookings-" + UUID.randomUUID();
        TestServer.kafka().createTopic(topic, 1);
        String database = TestServer.database();
        JdbcTemplate jdbc = oldSchema(database);
        try (ConfigurableApplicationContext context = start(database, topic, "posthorn.inbox.keep-entries=365d")) {
            assertThat(context.isRunning()).isTrue();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> !jdbc.queryForList(CONSUMERS, String.class).contains("somebody else"));
            assertThat(jdbc.queryForList(CONSUMERS, String.class)).containsExactly("bookings");
            assertThat(jdbc.queryForList("SELECT asker FROM posthorn.retention", String.class))
                    .containsExactly("shop");
        }
    }

    private static JdbcTemplate oldSchema(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database);
        new Schema(SchemaName.DEFAULT).install(dataSource);
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute(FORTY_DAYS_AGO);
        return jdbc;
    }

    private static Event order(String id) {
        return Event.builder()
                .source("shop")
                .type("order.placed")
                .key(id)
                .payload(("{\"id\":\"" + id + "\",\"total\":7}").getBytes(UTF_8))
                .contentType(Event.JSON)
                .build();
    }

    private static ConfigurableApplicationContext start(String database, String topic, String property) {
        return new SpringApplicationBuilder(ShopApplication.class, Listeners.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.datasource.url=" + database,
                        "spring.flyway.enabled=false",
                        "spring.jpa.hibernate.ddl-auto=update",
                        "management.otlp.metrics.export.enabled=false",
                        "spring.kafka.bootstrap-servers=" + TestServer.kafka().bootstrapServers(),
                        "bookings.topic=" + topic,
                        property)
                .run();
    }
}
