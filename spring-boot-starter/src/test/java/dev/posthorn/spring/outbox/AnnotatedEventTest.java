package dev.posthorn.spring.outbox;

import static dev.posthorn.spring.shop.Shop.transaction;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.event.Event;
import dev.posthorn.log.SchemaName;
import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.OutboxEvent;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.testing.RecordedEvents;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Objects that become events by their annotation. */
class AnnotatedEventTest {

    private final String key = UUID.randomUUID().toString();

    @OutboxEvent(type = "parcel.sent", key = "parcel.number", source = "depot")
    record ParcelSent(Parcel parcel, String carrier) {}

    record Parcel(String number) {}

    @OutboxEvent(type = "parcel.lost", key = "parcel.owner")
    record ParcelLost(Parcel parcel) {}

    record NotAnnotated(String id) {}

    @Test
    void aPublishedObjectIsRecordedAsItsAnnotationSays() {
        publish(new ParcelSent(new Parcel(key), "post"));

        Event event = Shop.recorded().ofKey(key).assertOne();
        assertThat(event.type()).isEqualTo("parcel.sent");
        assertThat(event.source()).isEqualTo("depot");
        assertThat(event.version()).isEqualTo(1);
        assertThat(event.aggregateType()).isNull();
        assertThat(event.contentType()).isEqualTo("application/json");
        assertThat(new String(event.payload(), UTF_8))
                .isEqualTo("{\"parcel\":{\"number\":\"" + key + "\"},\"carrier\":\"post\"}");
    }

    @Test
    void anAggregateOfSpringDataPublishesByBeingSaved() {
        transaction().executeWithoutResult(status -> Shop.bean(Purchases.class).save(new Purchase(key).pay()));

        Event event = Shop.recorded().ofKey(key).assertOne();
        assertThat(event.type()).isEqualTo("purchase.paid");
        assertThat(event.version()).isEqualTo(2);
        assertThat(event.aggregateType()).isEqualTo("purchase");
        assertThat(event.source()).as("the application's name").isEqualTo("shop");
    }

    /** Regression: the flush before the commit let JPA's own exception through, which no application looks for. */
    @Test
    void whatTheDatabaseRefusesIsToldBySpringsExceptionAndTheEventIsGone() {
        transaction().executeWithoutResult(status -> persist(new Purchase(key)));

        assertThatThrownBy(() -> transaction().executeWithoutResult(status -> {
                    persist(new Purchase(key));
                    Shop.publish(new ParcelSent(new Parcel(key), "post"));
                }))
                .isInstanceOf(DataIntegrityViolationException.class);
        Shop.recorded().ofKey(key).assertNone();
    }

    private static void persist(Purchase purchase) {
        EntityManagerFactoryUtils.getTransactionalEntityManager(Shop.bean(EntityManagerFactory.class))
                .persist(purchase);
    }

    @Test
    void withoutATransactionPublishingIsRefused() {
        assertThatThrownBy(() -> Shop.publish(new ParcelSent(new Parcel(key), "post")))
                .isInstanceOf(NoTransactionException.class);
    }

    @Test
    void aKeyThatIsNullIsToldByClassAndPath() {
        assertThatThrownBy(() -> publish(new ParcelSent(new Parcel(null), "post")))
                .hasMessageContaining(ParcelSent.class.getName())
                .hasMessageContaining("parcel.number")
                .hasMessageContaining("'number' is null");
    }

    @Test
    void aKeyThatIsNoPropertyIsToldByClassAndPath() {
        assertThatThrownBy(() -> publish(new ParcelLost(new Parcel(key))))
                .hasMessageContaining(ParcelLost.class.getName())
                .hasMessageContaining("parcel.owner")
                .hasMessageContaining("no property 'owner'");
    }

    @Test
    void anObjectWithoutTheAnnotationIsRefusedByTheOutboxAndLeftAloneByTheListener() {
        publish(new NotAnnotated(key));
        assertThatThrownBy(() -> transaction().execute(status -> Shop.outbox().record(new NotAnnotated(key))))
                .hasMessageContaining("@OutboxEvent");
    }

    @Test
    void withoutAnySourceTheRemedyIsTold() {
        AnnotatedEvents nameless = new AnnotatedEvents(JsonMapper::shared, "");
        assertThatThrownBy(() -> nameless.event(new ParcelLost(new Parcel(key))))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("spring.application.name");
    }

    @Test
    void theCurrentTraceGoesWithTheEvent() {
        Tracer tracer = Shop.bean(Tracer.class);
        Span span = tracer.nextSpan().start();
        Tracer.SpanInScope scope = tracer.withSpan(span);
        publish(new ParcelSent(new Parcel(key), "post"));
        scope.close();
        span.end();

        assertThat(Shop.recorded().ofKey(key).assertOne().headers().get("traceparent"))
                .contains(span.context().traceId());
    }

    /** With the trace it had one header too many, which came out at the commit and rolled the change back. */
    @Test
    void anEventThatHasNoRoomForTheTraceGoesWithoutIt() {
        Event.Builder full =
                Event.builder().source("test").type("full").key(key).json("{}");
        IntStream.range(0, 64).forEach(i -> full.header("h" + i, "x"));
        Tracer tracer = Shop.bean(Tracer.class);
        Span span = tracer.nextSpan().start();
        Tracer.SpanInScope scope = tracer.withSpan(span);
        transaction().executeWithoutResult(status -> Shop.outbox().record(full.build()));
        scope.close();
        span.end();

        assertThat(Shop.recorded().ofKey(key).assertOne().headers()).hasSize(64);
    }

    private static void publish(Object event) {
        transaction().executeWithoutResult(status -> Shop.publish(event));
    }

    /** As Spring had them before any object would do. It was ignored. */
    @OutboxEvent(type = "parcel.weighed", key = "number")
    static final class ParcelWeighed extends ApplicationEvent {

        private static final long serialVersionUID = 1;

        private final String number;

        ParcelWeighed(Object publisher, String number) {
            super(publisher);
            this.number = number;
        }

        public String getNumber() {
            return number;
        }
    }

    @Test
    void anApplicationEventOfSpringsOwnKindIsRecordedWithoutItsPublisher() {
        publish(new ParcelWeighed(this, key));

        Event event = Shop.recorded().ofKey(key).assertOne();
        assertThat(event.type()).isEqualTo("parcel.weighed");
        assertThat(new String(event.payload(), UTF_8)).isEqualTo("{\"number\":\"" + key + "\"}");
    }

    @Configuration
    static class AsynchronousEvents {

        @Bean
        SimpleApplicationEventMulticaster applicationEventMulticaster() {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
            return multicaster;
        }
    }

    /** Another thread has another transaction, or none: the event was lost. */
    @Test
    void withAnAsynchronousMulticasterAnEventIsRecordedAllTheSame() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class))
                .withUserConfiguration(AsynchronousEvents.class)
                .withPropertyValues("spring.datasource.url=" + TestServer.database(), "posthorn.role=writer")
                .run(context -> {
                    context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(
                                    status -> context.publishEvent(new ParcelSent(new Parcel(key), "post")));
                    try (Connection connection =
                            context.getBean(DataSource.class).getConnection()) {
                        RecordedEvents.in(connection, SchemaName.DEFAULT)
                                .ofKey(key)
                                .assertOne();
                    }
                });
    }

    /** As an application has none that uses R2DBC alone. */
    @Test
    void withoutADataSourcePublishingIsRefusedWithTheRemedy() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class))
                .run(context -> {
                    assertThatThrownBy(() -> context.publishEvent(new ParcelSent(new Parcel(key), "post")))
                            .hasMessageContaining(ParcelSent.class.getName())
                            .hasMessageContaining("spring.datasource.url");
                    context.publishEvent(new NotAnnotated(key));
                });
    }

    @OutboxEvent(type = "parcel.moved", key = "number", source = "depot")
    record Moved(Object number) {}

    record Composite(String depot, Object number) {}

    static final class Nameless {}

    @Test
    void anOptionalKeyIsWhatIsInIt() {
        publish(new Moved(Optional.of(key)));
        publish(new Moved(OptionalLong.of(key.hashCode())));

        Shop.recorded().ofKey(key).assertOne();
        Shop.recorded().ofKey(String.valueOf(key.hashCode())).assertOne();
        assertThatThrownBy(() -> publish(new Moved(Optional.empty()))).hasMessageContaining("'number' is null");
    }

    @Test
    void aKeyOfSeveralPartsIsItsText() {
        publish(new Moved(new Composite("north", key)));

        Shop.recorded().ofKey("Composite[depot=north, number=" + key + "]").assertOne();
    }

    /** Its text was another one each time, so the events of an aggregate had no order. */
    @ParameterizedTest
    @MethodSource
    void aKeyWhoseTextIsAnotherOneEachTimeIsRefused(Object number, String why) {
        assertThatThrownBy(() -> publish(new Moved(number)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Moved.class.getName())
                .hasMessageContaining(why);
    }

    static Stream<Arguments> aKeyWhoseTextIsAnotherOneEachTimeIsRefused() {
        return Stream.of(
                Arguments.of(new byte[] {1, 2}, "byte[], which is no single value"),
                Arguments.of(new String[] {"a"}, "no single value"),
                Arguments.of(Set.of("a", "b"), "no single value"),
                Arguments.of(new Nameless(), "no toString() of its own"),
                Arguments.of(new Composite("north", new byte[] {1}), "no single value"));
    }
}
