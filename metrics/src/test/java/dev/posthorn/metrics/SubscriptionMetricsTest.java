package dev.posthorn.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.Outbox;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

class SubscriptionMetricsTest {

    private static final SchemaName SCHEMA = new SchemaName("elsewhere");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    private double gauge(String name) {
        return registry.get("posthorn." + name)
                .tag("subscription", "billing")
                .gauge()
                .value();
    }

    private double count(String name) {
        return registry.get("posthorn." + name)
                .tag("subscription", "billing")
                .counter()
                .count();
    }

    private double databaseUp() {
        return registry.get("posthorn.database.up").gauge().value();
    }

    private static void record(DataSource dataSource, String type) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.builder()
                    .schema(SCHEMA.name())
                    .build()
                    .record(
                            connection,
                            Event.builder()
                                    .source("shop")
                                    .type(type)
                                    .key(type)
                                    .json("{}")
                                    .build());
            connection.commit();
        }
    }

    private Relay relay(DataSource dataSource) {
        RecordingSink sink = RecordingSink.oneAtATime()
                .answering(
                        event -> event.event().type().equals("wrong") ? new Outcome.Reject("no") : Outcome.DELIVERED);
        return Relay.builder(dataSource)
                .schema(SCHEMA.name())
                .listener(new RelayMetrics(registry))
                .subscribe(Subscription.to("billing", sink).lanes(2).build())
                .start();
    }

    @Test
    void whatIsTooOldIsNoLongerTold() {
        Reading<String> reading = new Reading<>(Duration.ofMillis(1));
        reading.take("old");
        await().until(() -> reading.value() == null);
    }

    @Test
    void figuresAreThoseOfTheLastReadingAndADatabaseThatIsAwayIsToldAtOnce() throws SQLException {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary()) {
            DataSource dataSource = server.dataSource();
            new Schema(SCHEMA).install(dataSource);
            SubscriptionMetrics metrics = SubscriptionMetrics.builder(dataSource, registry)
                    .schema(SCHEMA)
                    .keptFor(Duration.ofHours(1))
                    .build();
            assertThat(databaseUp()).isZero();
            Relay relay = relay(dataSource);
            await().until(() -> relay.lanes().size() == 2);
            record(dataSource, "wrong");
            record(dataSource, "fine");
            await().until(() -> registry.find("posthorn.delivered").counter() != null
                    && registry.find("posthorn.dead.lettered").counter() != null);
            assertThat(relay.isRunning()).isTrue();
            relay.close();
            assertThat(relay.isRunning()).isFalse();
            assertThat(count("delivered")).isEqualTo(1);
            assertThat(count("dead.lettered")).isEqualTo(1);

            metrics.read();
            assertThat(gauge("dead.letters")).isEqualTo(1);
            assertThat(gauge("pending")).isZero();
            assertThat(gauge("lanes")).isEqualTo(2);
            assertThat(databaseUp()).isEqualTo(1);

            record(dataSource, "late");
            assertThat(gauge("pending")).as("nobody has read it yet").isZero();
            metrics.read();
            assertThat(gauge("pending")).isEqualTo(1);

            server.stop();
            assertThatThrownBy(metrics::read).isInstanceOf(PosthornException.class);
            assertThat(databaseUp()).isZero();
            assertThat(gauge("pending")).as("still worth telling").isEqualTo(1);
        }
    }
}
