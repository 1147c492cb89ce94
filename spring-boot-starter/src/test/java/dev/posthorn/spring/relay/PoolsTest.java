package dev.posthorn.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.sink.Sink;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** However the application's pool is set: the tables are installed, and what is recorded is delivered. */
class PoolsTest {

    private final String database = TestServer.database();

    private void delivers(String... properties) {
        RecordingSink sink = RecordingSink.pipelined();
        String key = UUID.randomUUID().toString();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        RelayAutoConfiguration.class))
                .withBean("sink", Sink.class, () -> sink)
                .withPropertyValues(
                        "spring.datasource.url=" + database,
                        "spring.application.name=shop",
                        "posthorn.subscriptions.orders.sink=sink")
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(
                                    status -> context.getBean(Outbox.class).record(Shop.event("order.placed", key)));
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThat(sink.received())
                                    .singleElement()
                                    .satisfies(event ->
                                            assertThat(event.event().key()).isEqualTo(key)));
                });
    }

    @Test
    void onePoolThatDoesNotCommitByItselfForAll() {
        delivers(
                "spring.datasource.hikari.auto-commit=false",
                "spring.datasource.hikari.maximum-pool-size=10",
                "posthorn.relay.pool=shared");
    }

    @Test
    void serializableTransactionsAndAStatementForEveryConnection() {
        delivers(
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE",
                "spring.datasource.hikari.connection-init-sql=SET statement_timeout = '20s'");
    }

    /** The application did not start: the tables' version had been looked up in the transaction that was to install them. */
    @Test
    void serializableTransactionsThatDoNotCommitByThemselves() {
        delivers(
                "spring.datasource.hikari.auto-commit=false",
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE");
    }

    @Test
    void optionsOfTheDriver() {
        delivers("spring.datasource.url=" + database
                + "&preferQueryMode=simple&stringtype=unspecified&reWriteBatchedInserts=true&autosave=always"
                + "&currentSchema=pg_temp&readOnly=false&options=-c%20search_path=pg_catalog");
    }

    @Test
    void theRelaysConnectionsAreNoLeak() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database);
        pool.setLeakDetectionThreshold(2_000);
        try (RelayConnections own = HikariPools.own(pool, "own", 2)) {
            assertThat(own.dataSource())
                    .isInstanceOfSatisfying(
                            HikariDataSource.class,
                            its -> assertThat(its.getLeakDetectionThreshold()).isZero());
        }
        pool.close();
    }
}
