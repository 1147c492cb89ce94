package dev.posthorn.spring;

import dev.posthorn.event.Event;
import dev.posthorn.log.SchemaName;
import dev.posthorn.spring.shop.ShopApplication;
import dev.posthorn.testing.RecordedEvents;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A running application that only writes, shared by the tests that look at what it records. */
final class Shop {

    private Shop() {}

    private static final class Running {
        static final String DATABASE = TestServer.database();
        static final ConfigurableApplicationContext CONTEXT = start(
                DATABASE,
                "--posthorn.role=writer",
                "--posthorn.outbox.max-payload=1KB",
                "--spring.jpa.hibernate.ddl-auto=update");
    }

    static ConfigurableApplicationContext start(String database, String... arguments) {
        return new SpringApplicationBuilder(ShopApplication.class)
                .web(WebApplicationType.NONE)
                // It ends with the JVM, whose other hooks stop its database at the same time.
                .registerShutdownHook(false)
                .properties(
                        "spring.application.name=shop",
                        "spring.datasource.url=" + database,
                        "spring.flyway.enabled=false",
                        "management.otlp.metrics.export.enabled=false",
                        "spring.main.banner-mode=off")
                .run(arguments);
    }

    static <T> T bean(Class<T> type) {
        return Running.CONTEXT.getBean(type);
    }

    static void publish(Object event) {
        Running.CONTEXT.publishEvent(event);
    }

    static Outbox outbox() {
        return bean(Outbox.class);
    }

    /** Takes no connection of the application's pool, all of which may be in use by transactions. */
    static DataSource onlooker() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(Running.DATABASE);
        return dataSource;
    }

    static JdbcTemplate jdbc() {
        return bean(JdbcTemplate.class);
    }

    static TransactionTemplate transaction() {
        return new TransactionTemplate(bean(PlatformTransactionManager.class));
    }

    static TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = transaction();
        template.setPropagationBehavior(propagation);
        return template;
    }

    /** As a bean of the application would be. */
    static <M extends PlatformTransactionManager> M watched(M manager) {
        new TransactionWatchPostProcessor().postProcessAfterInitialization(manager, "manager");
        return manager;
    }

    static Event event(String type, String key) {
        return Event.builder().source("test").type(type).key(key).json("{}").build();
    }

    static RecordedEvents recorded() {
        try (Connection connection = bean(DataSource.class).getConnection()) {
            return RecordedEvents.in(connection, SchemaName.DEFAULT);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The types of the events of a key, in the order of the log. */
    static List<String> types(String key) {
        return recorded().ofKey(key).events().stream().map(Event::type).toList();
    }
}
