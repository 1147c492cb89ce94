package dev.posthorn.spring.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.inbox.InboxAutoConfiguration;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.relay.RelayAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with two databases, whose pools commit by themselves or, as it is often set for Hibernate, do not. */
class TwoDataSourcesTest {

    private static final String ORDERS = TestServer.database();
    private static final String REPORTS = reports();

    private final String key = UUID.randomUUID().toString();

    private static String reports() {
        String url = TestServer.database();
        onlooker(url).execute("CREATE TABLE report (id text)");
        return url;
    }

    /** Takes no connection of the application's pools. */
    private static JdbcTemplate onlooker(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return new JdbcTemplate(dataSource);
    }

    @Configuration(proxyBeanMethods = false)
    static class Sources {

        private static HikariDataSource pool(String url, boolean autoCommit) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            pool.setMaximumPoolSize(2);
            pool.setAutoCommit(autoCommit);
            return pool;
        }

        @Bean
        @Primary
        HikariDataSource orders(@Value("${auto-commit}") boolean autoCommit) {
            return pool(ORDERS, autoCommit);
        }

        @Bean
        HikariDataSource reports(@Value("${auto-commit}") boolean autoCommit) {
            return pool(REPORTS, autoCommit);
        }

        @Bean
        @Primary
        JdbcTransactionManager ordersManager(DataSource orders) {
            return new JdbcTransactionManager(orders);
        }

        @Bean
        JdbcTransactionManager reportsManager(@Qualifier("reports") DataSource reports) {
            return new JdbcTransactionManager(reports);
        }
    }

    /** The application while it runs. */
    private record Office(ApplicationContext context) {

        TransactionTemplate transaction(String manager) {
            return new TransactionTemplate(context.getBean(manager, JdbcTransactionManager.class));
        }

        JdbcTemplate jdbc(String dataSource) {
            return new JdbcTemplate(context.getBean(dataSource, DataSource.class));
        }

        void record(String type, String key) {
            context.getBean(Outbox.class).record(Shop.event(type, key));
        }
    }

    private static void run(boolean autoCommit, Consumer<Office> work) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        RelayAutoConfiguration.class,
                        InboxAutoConfiguration.class))
                .withUserConfiguration(Sources.class)
                .withPropertyValues(
                        "spring.application.name=office",
                        "posthorn.role=writer",
                        "posthorn.inbox.transaction-manager=reportsManager",
                        "auto-commit=" + autoCommit)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    work.accept(new Office(context));
                });
    }

    private Long events() {
        return onlooker(ORDERS).queryForObject("SELECT count(*) FROM posthorn.event WHERE key = ?", Long.class, key);
    }

    private Long reportsMade() {
        return onlooker(REPORTS).queryForObject("SELECT count(*) FROM report WHERE id = ?", Long.class, key);
    }

    /**
     * The query binds a connection to the thread that no transaction will commit: the event was accepted, and lost without
     * a word; or, where connections commit by themselves, the commit failed.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inATransactionOfTheOtherOneAQueryToTheOutboxsMakesNoTransactionOfIt(boolean autoCommit) {
        run(autoCommit, office -> {
            office.transaction("reportsManager").executeWithoutResult(status -> {
                office.jdbc("reports").update("INSERT INTO report VALUES (?)", key);
                office.jdbc("orders").queryForObject("SELECT count(*) FROM pg_class", Long.class);
                assertThatThrownBy(() -> office.record("never", key))
                        .isInstanceOf(NoTransactionException.class)
                        .hasMessageContaining("a transaction of another data source than the outbox's")
                        .hasMessageContaining("Name the transaction manager of the outbox's data source");
            });
            assertThat(reportsMade()).as("the caller's own business").isEqualTo(1);
            assertThat(events()).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInnerTransactionOfTheOutboxsAfterSuchAQueryRecords(boolean autoCommit) {
        run(autoCommit, office -> {
            office.transaction("reportsManager").executeWithoutResult(outer -> {
                office.jdbc("orders").queryForObject("SELECT count(*) FROM pg_class", Long.class);
                office.transaction("ordersManager").executeWithoutResult(inner -> office.record("first", key));
                assertThatThrownBy(() -> office.record("never", key)).isInstanceOf(NoTransactionException.class);
                outer.setRollbackOnly();
            });
            assertThat(events()).isEqualTo(1);
        });
    }

    /** The entry would have been committed or rolled back with the transaction around it, and the effect without it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listenersTransactionsAreNotTakenForTheOutboxsBecauseOneIsAroundThem(boolean autoCommit) {
        run(
                autoCommit,
                office -> office.transaction("ordersManager")
                        .executeWithoutResult(outer -> assertThatThrownBy(() -> office.context()
                                        .getBean(Transactions.class)
                                        .<Integer, RuntimeException>run(connection -> 1))
                                .isInstanceOf(SetupException.class)
                                .hasMessageContaining("posthorn.inbox.transaction-manager")));
    }
}
