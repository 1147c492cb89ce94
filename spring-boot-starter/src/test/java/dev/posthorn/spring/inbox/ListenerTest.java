package dev.posthorn.spring.inbox;

import static dev.posthorn.spring.shop.Shop.event;
import static dev.posthorn.spring.shop.Shop.outbox;
import static dev.posthorn.spring.shop.Shop.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.inbox.Once;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationBeanPostProcessor;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** What surrounds a listener's method, without Kafka. */
class ListenerTest {

    private final String key = UUID.randomUUID().toString();
    private final SpringTransactions transactions =
            new SpringTransactions(Shop.bean(PlatformTransactionManager.class), Shop.bean(DataSource.class));

    @Test
    void theEffectByJpaTheInboxEntryAndWhatIsRecordedAreOneTransaction() {
        UUID eventId = UUID.randomUUID();

        assertThatThrownBy(() -> handle(eventId, true)).isInstanceOf(IOException.class);
        assertThat(Shop.bean(Purchases.class).existsById(key)).isFalse();
        assertThat(types(key)).isEmpty();

        assertThat(once(eventId).isDuplicate())
                .as("the entry was rolled back too")
                .isFalse();
        assertThat(once(eventId).isDuplicate()).isTrue();
        assertThat(types(key)).containsExactly("booked");
        assertThat(Shop.bean(Purchases.class).existsById(key)).isTrue();
    }

    private Once<Purchase> once(UUID eventId) {
        try {
            return handle(eventId, false);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Once<Purchase> handle(UUID eventId, boolean failing) throws IOException {
        return transactions.run(connection -> Inbox.create().once(connection, "shop", eventId, same -> {
            Purchase purchase = Shop.bean(Purchases.class).save(new Purchase(key));
            outbox().record(event("booked", key));
            if (failing) {
                throw new IOException("no paper");
            }
            return purchase;
        }));
    }

    @Test
    void transactionsOfAnotherDataSourceAreRefused() {
        PGSimpleDataSource other = new PGSimpleDataSource();
        other.setUrl(TestServer.database());
        SpringTransactions foreign =
                new SpringTransactions(new JdbcTransactionManager(other), Shop.bean(DataSource.class));

        assertThatThrownBy(() -> foreign.run(connection -> "never"))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("posthorn.inbox.transaction-manager");
    }

    record Booking(String id, int amount) {}

    static final class Methods {

        private final List<Object> taken = new ArrayList<>();

        @InboxListener(topics = "a")
        void event(Event event) {
            taken.add(event.type());
        }

        @InboxListener(topics = "a")
        void payload(Booking booking) {
            taken.add(booking);
        }

        @InboxListener(topics = "a")
        void both(Booking booking, Event event) {
            taken.add(booking.id() + event.type());
        }

        @InboxListener(topics = "a")
        void batch(List<Event> events) {
            taken.add(events.size());
        }

        /** Each event's payload was read as a JSON array. */
        @InboxListener(topics = "a")
        void payloads(List<Booking> bookings) {
            taken.add(bookings.stream().mapToInt(Booking::amount).sum());
        }

        @InboxListener(topics = "a")
        void anything(List<?> events) {}

        @InboxListener(topics = "a")
        void failing(Event event) throws IOException {
            throw new IOException("no paper");
        }

        @InboxListener(topics = "a")
        void wrong(Event event, String other) {}
    }

    @Test
    void aMethodGetsWhatItAsksFor() throws Exception {
        Methods bean = new Methods();
        Event event = Event.builder()
                .source("s")
                .type("booked")
                .json("{\"id\":\"b1\",\"amount\":3}")
                .build();
        method(bean, "event").handle(event, JsonMapper.shared());
        method(bean, "payload").handle(event, JsonMapper.shared());
        method(bean, "both").handle(event, JsonMapper.shared());
        method(bean, "batch").handle(List.of(event, event), JsonMapper.shared());
        method(bean, "payloads").handle(List.of(event, event), JsonMapper.shared());

        assertThat(bean.taken).containsExactly("booked", new Booking("b1", 3), "b1booked", 2, 6);
        assertThat(method(bean, "batch").takesBatches()).isTrue();
        assertThat(method(bean, "payloads").takesBatches()).isTrue();
        assertThat(method(bean, "event").takesBatches()).isFalse();
    }

    @Test
    void whatAMethodThrowsComesAsItIs() {
        assertThatThrownBy(() -> method(new Methods(), "failing").handle(event("a", key), JsonMapper.shared()))
                .isInstanceOf(IOException.class)
                .hasMessage("no paper");
    }

    @Test
    void aMethodThatCannotTakeEventsIsToldByName() {
        assertThatThrownBy(() -> method(new Methods(), "wrong").requireUsable())
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("Methods.wrong")
                .hasMessageContaining("List<Event>");
    }

    @Test
    void aListOfNobodyKnowsWhatIsToldByName() {
        assertThatThrownBy(() -> method(new Methods(), "anything").requireUsable())
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("Methods.anything");
    }

    static class Deferring {

        @Async
        @InboxListener(topics = "a")
        public void deferred(Event event) {}

        @InboxListener(topics = "a")
        CompletableFuture<Void> promising(Event event) {
            return CompletableFuture.failedFuture(new IOException("no paper"));
        }

        @InboxListener(topics = "a")
        @Nullable
        Object answering(Event event) {
            return null;
        }
    }

    @Async
    static class DeferringAll {}

    static class Inheriting extends DeferringAll {

        @InboxListener(topics = "a")
        void on(Event event) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Later {}

    static class DeferringByItsOwnWord {

        @Later
        @InboxListener(topics = "a")
        public void later(Event event) {}

        @InboxListener(topics = "a")
        public void now(Event event) {}
    }

    /** As with {@code @EnableAsync(annotation = Later.class)}. */
    private static Object asynchronous(Object bean) {
        AsyncAnnotationBeanPostProcessor processor = new AsyncAnnotationBeanPostProcessor();
        processor.setAsyncAnnotationType(Later.class);
        processor.setProxyTargetClass(true);
        processor.setBeanFactory(new DefaultListableBeanFactory());
        return processor.postProcessAfterInitialization(bean, "bean");
    }

    /** What it threw was heard by nobody, and the event counted as handled. */
    @Test
    void aMethodThatIsDoneLaterIsRefused() {
        List.of(
                        method(new Deferring(), "deferred"),
                        method(new Inheriting(), "on"),
                        method(asynchronous(new DeferringByItsOwnWord()), "later"))
                .forEach(each -> assertThatThrownBy(each::requireUsable)
                        .isInstanceOf(SetupException.class)
                        .hasMessageContaining(each.toString())
                        .hasMessageContaining("Take @Async off")
                        .hasMessageContaining("threads"));
        method(asynchronous(new DeferringByItsOwnWord()), "now").requireUsable();
    }

    @Test
    void aMethodThatReturnsAPromiseIsRefused() {
        assertThatThrownBy(() -> method(new Deferring(), "promising").requireUsable())
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("Deferring.promising")
                .hasMessageContaining("CompletableFuture")
                .hasMessageContaining("return when its work is done");
        method(new Deferring(), "answering").requireUsable();
    }

    abstract static class Taking<T> {

        final List<Object> taken = new ArrayList<>();

        @InboxListener(topics = "a")
        void one(T payload) {
            taken.add(payload);
        }

        @InboxListener(topics = "a")
        void many(List<T> payloads) {
            taken.addAll(payloads);
        }

        @InboxListener(topics = "a")
        void packed(Map<String, T> payloads, Event event) {
            taken.addAll(payloads.values());
        }
    }

    static final class TakingBookings extends Taking<Booking> {}

    /** It got a LinkedHashMap, and found out when it looked into it. */
    @Test
    void aMethodOfAGenericSuperclassGetsWhatItsOwnClassSays() throws Exception {
        TakingBookings bean = new TakingBookings();
        Event event = Event.builder()
                .source("s")
                .type("booked")
                .json("{\"id\":\"b1\",\"amount\":3}")
                .build();
        Event packed = Event.builder()
                .source("s")
                .type("booked")
                .json("{\"x\":{\"id\":\"b1\",\"amount\":3}}")
                .build();
        method(bean, "one").handle(event, JsonMapper.shared());
        method(bean, "many").handle(List.of(event), JsonMapper.shared());
        method(bean, "packed").handle(packed, JsonMapper.shared());

        assertThat(bean.taken).hasSize(3).containsOnly(new Booking("b1", 3));
    }

    private static ListenerMethod method(Object bean, String name) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("bean", bean);
        ListenerMethods methods = new ListenerMethods();
        methods.setBeanFactory(beans);
        return methods.found().stream()
                .filter(each -> each.method().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
