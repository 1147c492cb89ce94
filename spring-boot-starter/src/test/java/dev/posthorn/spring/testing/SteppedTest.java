package dev.posthorn.spring.testing;

import static dev.posthorn.spring.shop.Shop.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.Relay;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.shop.ShopApplication;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.testing.SteppedRelay;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A test as users of the starter write it. */
@SpringBootTest(
        classes = ShopApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.application.name=shop",
            "spring.flyway.enabled=false",
            "management.otlp.metrics.export.enabled=false",
            "spring.jpa.hibernate.ddl-auto=update",
            "posthorn.subscriptions.orders.types=order.*",
            "posthorn.subscriptions.orders.kafka.bootstrap-servers=localhost:9",
        })
@PosthornTest
@DirtiesContext // Closed now, because the server ends with the JVM.
class SteppedTest {

    @Autowired
    private Outbox outbox;

    @Autowired
    private RecordedOutbox recorded;

    @Autowired
    private SteppedRelay relay;

    @Autowired
    private RecordingSinks sinks;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private ObjectProvider<Relay> running;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        properties.add("spring.datasource.url", TestServer::database);
    }

    @BeforeEach
    void forget() {
        recorded.clear();
    }

    @Test
    void theRelayDeliversWhatTheSubscriptionWantsWhenItIsSteppedAndNotBefore() {
        transaction.executeWithoutResult(
                status -> outbox.record(List.of(event("order.placed", "1"), event("label.printed", "1"))));

        recorded.events().assertCount(2);
        assertThat(sinks.of("orders").received()).isEmpty();
        relay.run(3);
        assertThat(sinks.of("orders").received())
                .extracting(each -> each.event().type())
                .containsExactly("order.placed");
        assertThat(running.getIfAvailable()).as("a relay of its own").isNull();
    }

    @Test
    @Transactional
    void inATestThatIsRolledBackTheEventsOfItsTransactionAreSeen() {
        outbox.record(event("order.placed", "2"));

        assertThat(recorded.events().assertOne().key()).isEqualTo("2");
    }
}
