package dev.posthorn.spring;

import static dev.posthorn.spring.Shop.transaction;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.event.Event;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import jakarta.persistence.EntityManagerFactory;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
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
        AnnotatedEvents nameless = new AnnotatedEvents(JsonMapper.shared(), "");
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

    private static void publish(Object event) {
        transaction().executeWithoutResult(status -> Shop.publish(event));
    }
}
