package dev.posthorn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import dev.posthorn.spring.shop.ShopApplication;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
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
        try (ConfigurableApplicationContext context = start(topic)) {
            String id = UUID.randomUUID().toString();
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(
                            status -> context.getBean(Outbox.class).record(order(id)));

            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(
                                    jdbc.queryForList("SELECT total FROM purchase WHERE id = ?", Integer.class, id))
                            .containsExactly(7));
            assertThat(context.getBean(Booking.class).calls).hasValue(2);
            assertThat(jdbc.queryForObject(
                            "SELECT count(*) FROM posthorn.inbox_entry WHERE consumer = 'bookings'", Integer.class))
                    .isEqualTo(1);
        }
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

    private static ConfigurableApplicationContext start(String topic) {
        return new SpringApplicationBuilder(ShopApplication.class, Listeners.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.datasource.url=" + TestServer.database(),
                        "spring.flyway.enabled=false",
                        "spring.jpa.hibernate.ddl-auto=update",
                        "management.otlp.metrics.export.enabled=false",
                        "spring.kafka.bootstrap-servers=" + TestServer.kafka().bootstrapServers(),
                        "bookings.topic=" + topic,
                        "posthorn.subscriptions.orders.kafka.topic=" + topic)
                .run();
    }
}
