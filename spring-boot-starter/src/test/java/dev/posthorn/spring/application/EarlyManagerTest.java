package dev.posthorn.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.relay.RelayAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transaction managers that are made before post-processors look at beans: recording was refused, with a wrong remedy. */
class EarlyManagerTest {

    private final String key = UUID.randomUUID().toString();

    /** Spring Boot's own data source cannot be made as early as that: its properties are not there yet. */
    private final ApplicationContextRunner data = new ApplicationContextRunner()
            .withBean("dataSource", DataSource.class, EarlyManagerTest::dataSource)
            .withConfiguration(AutoConfigurations.of(
                    DataSourceInitializationAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class));

    private static DataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(TestServer.database());
        return dataSource;
    }

    private static ApplicationContextRunner withPosthorn(ApplicationContextRunner runner) {
        return runner.withConfiguration(AutoConfigurations.of(
                        JacksonAutoConfiguration.class,
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        RelayAutoConfiguration.class))
                .withPropertyValues("spring.application.name=shop", "posthorn.role=writer");
    }

    private static void record(PlatformTransactionManager manager, Outbox outbox, String key) {
        new TransactionTemplate(manager).executeWithoutResult(status -> outbox.record(Shop.event("order.placed", key)));
    }

    private void records(ApplicationContext context) {
        record(context.getBean(PlatformTransactionManager.class), context.getBean(Outbox.class), key);
        assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                        .queryForList("SELECT key FROM posthorn.event", String.class))
                .contains(key);
    }

    /** Whatever it does with the manager. */
    private static class Audit implements BeanPostProcessor {

        Audit(PlatformTransactionManager manager) {
            assertThat(manager).isNotNull();
        }
    }

    @Configuration
    static class OfAPostProcessor {
        @Bean
        static Audit audit(PlatformTransactionManager manager) {
            return new Audit(manager);
        }
    }

    @Test
    void aManagerThatAnotherPostProcessorTakesIsWatched() {
        withPosthorn(data).withUserConfiguration(OfAPostProcessor.class).run(this::records);
    }

    /** A bean that records when it is made. */
    @Configuration
    static class RecordingAtOnce {
        @Bean
        Consumer<String> greeting(PlatformTransactionManager manager, Outbox outbox) {
            record(manager, outbox, "greeting");
            return key -> {};
        }
    }

    @Test
    void itIsWatchedBeforeTheFirstBeanRecords() {
        withPosthorn(data)
                .withUserConfiguration(OfAPostProcessor.class, RecordingAtOnce.class)
                .run(this::records);
    }

    private static final class FirstAudit extends Audit implements PriorityOrdered {

        FirstAudit(PlatformTransactionManager manager) {
            super(manager);
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    @Configuration
    static class OfTheFirstPostProcessor {
        @Bean
        static FirstAudit audit(PlatformTransactionManager manager) {
            return new FirstAudit(manager);
        }
    }

    @Test
    void aManagerThatTheVeryFirstPostProcessorTakesIsWatched() {
        withPosthorn(data).withUserConfiguration(OfTheFirstPostProcessor.class).run(this::records);
    }

    @Configuration
    static class OfAFactoryPostProcessor {
        @Bean
        static BeanFactoryPostProcessor early() {
            return beans -> beans.getBean(PlatformTransactionManager.class);
        }
    }

    @Test
    void aManagerThatIsMadeBeforeAllPostProcessorsIsWatched() {
        withPosthorn(data).withUserConfiguration(OfAFactoryPostProcessor.class).run(this::records);
    }

    @Test
    void aManagerOfAParentContextIsWatched() {
        data.run(parent ->
                withPosthorn(new ApplicationContextRunner()).withParent(parent).run(this::records));
    }

    @Test
    void aManagerThatNobodyHasAskedForYetIsNotMadeToBeWatched() {
        withPosthorn(data)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    assertThat(context.getBeanFactory().containsSingleton("transactionManager"))
                            .isFalse();
                    records(context);
                });
    }
}
