package dev.posthorn.spring.outbox;

import static dev.posthorn.spring.shop.Shop.event;
import static dev.posthorn.spring.shop.Shop.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Two transactions change one purchase through JPA. The one that begins first changes it in memory, and locks its row only
 * when it commits, after the other one. A subscriber has to hear of them in the order of the commits, or it ends with
 * another total than the database.
 */
class OrderTest {

    private final String key = UUID.randomUUID().toString();

    @Test
    void eventsOfAnAggregateArriveInTheOrderOfTheCommits() {
        assertThat(delivered(event -> Shop.outbox().record(event)))
                .containsExactly("committed-first", "committed-last");
    }

    /** As in a web application, where Spring Boot opens one before the transaction. */
    @Test
    void anEntityManagerThatIsOpenForTheWholeRequestIsFlushedToo() {
        EntityManagerFactory factory = Shop.bean(EntityManagerFactory.class);
        EntityManager open = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(open));
        try {
            assertThat(delivered(event -> Shop.outbox().record(event)))
                    .containsExactly("committed-first", "committed-last");
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            open.close();
        }
    }

    @Test
    void writtenAtOnceTheyWouldArriveInTheWrongOrder() {
        assertThat(delivered(OrderTest::writeAtOnce)).containsExactly("committed-last", "committed-first");
    }

    /** Between the first one's event and its commit the second tries to overtake it. */
    @Test
    void whoHasWrittenItsEventHasLockedItsRow() throws Exception {
        transaction().executeWithoutResult(status -> purchases().save(new Purchase(key)));
        ExecutorService other = Executors.newSingleThreadExecutor();
        List<Future<?>> second = new ArrayList<>();
        JpaTransactionManager manager =
                WatchedManagers.watched(new JpaTransactionManager(Shop.bean(EntityManagerFactory.class)));
        manager.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                second.add(other.submit(() -> transaction().executeWithoutResult(inner -> change(2))));
                Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> second.get(0).isDone() || somebodyWaitsForARow());
            }
        });
        new TransactionTemplate(manager).executeWithoutResult(status -> change(1));
        second.get(0).get(60, TimeUnit.SECONDS);
        other.shutdown();

        assertThat(purchases().findById(key).orElseThrow().getTotal()).isEqualTo(2);
        assertThat(Shop.types(key)).containsExactly("total-1", "total-2");
    }

    private void change(int total) {
        purchases().findById(key).orElseThrow().setTotal(total);
        Shop.outbox().record(event("total-" + total, key));
    }

    private static boolean somebodyWaitsForARow() throws SQLException {
        try (Connection connection = Shop.onlooker().getConnection();
                Statement statement = connection.createStatement();
                ResultSet waiting = statement.executeQuery(
                        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'update purchase%'")) {
            return waiting.next();
        }
    }

    private List<String> delivered(Consumer<Event> outbox) {
        transaction().executeWithoutResult(status -> purchases().save(new Purchase(key)));
        RecordingSink sink = RecordingSink.pipelined();
        Subscription subscription = Subscription.to(key, sink).build();
        SettableClock clock = SettableClock.at(Instant.now());
        SteppedRelay relay = SteppedRelay.of(Relay.builder(Shop.onlooker()).subscribe(subscription), clock)
                .pass();
        try {
            interleave(outbox);
            relay.run(5);
        } finally {
            relay.leave();
        }
        assertThat(purchases().findById(key).orElseThrow().getTotal())
                .as("the last commit counts")
                .isEqualTo(1);
        return sink.received().stream().map(each -> each.event().type()).toList();
    }

    private void interleave(Consumer<Event> outbox) {
        transaction().executeWithoutResult(begunFirst -> {
            purchases().findById(key).orElseThrow().setTotal(1);
            outbox.accept(event("committed-last", key));
            transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(begunLast -> {
                purchases().findById(key).orElseThrow().setTotal(2);
                outbox.accept(event("committed-first", key));
            });
        });
    }

    /** As with the library's own outbox on the transaction's connection. */
    private static void writeAtOnce(Event event) {
        DataSource dataSource = Shop.bean(DataSource.class);
        Connection connection = DataSourceUtils.getConnection(dataSource);
        dev.posthorn.Outbox.create().record(connection, event);
        DataSourceUtils.releaseConnection(connection, dataSource);
    }

    private static Purchases purchases() {
        return Shop.bean(Purchases.class);
    }
}
