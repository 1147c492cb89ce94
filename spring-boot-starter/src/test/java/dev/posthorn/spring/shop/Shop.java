package dev.posthorn.spring.shop;

import dev.posthorn.event.Event;
import dev.posthorn.log.SchemaName;
import dev.posthorn.spring.Outbox;
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
public final class Shop {

    private Shop() {}

    private static final class Running {
        static final String DATABASE = TestServer.database();
        static final ConfigurableApplicationContext CONTEXT = start(
                DATABASE,
                "--posthorn.role=writer",
                "--posthorn.outbox.max-payload=1KB",
                "--spring.jpa.hibernate.ddl-auto=update");
    }

    public static ConfigurableApplicationContext start(String database, String... arguments) {
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

    public static <T> T bean(Class<T> type) {
        return Running.CONTEXT.getBean(type);
    }

    public static void publish(Object event) {
        Running.CONTEXT.publishEvent(event);
    }

    public static Outbox outbox() {
        return bean(Outbox.class);
    }

    /** Takes no connection of the application's pool, all of which may be in use by transactions. */
    public static DataSource onlooker() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(Running.DATABASE);
        return dataSource;
    }

    public static JdbcTemplate jdbc() {
        return bean(JdbcTemplate.class);
    }

    public static TransactionTemplate transaction() {
        return new TransactionTemplate(bean(PlatformTransactionManager.class));
    }

    public static TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = transaction();
        template.setPropagationBehavior(propagation);
        return template;
    }

    public static Event event(String type, String key) {
        return Event.builder().source("test").type(type).key(key).json("{}").build();
    }

    public static RecordedEvents recorded() {
        try (Connection connection = bean(DataSource.class).getConnection()) {
            return RecordedEvents.in(connection, SchemaName.DEFAULT);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The types of the events of a key, in the order of the log. */
    public static List<String> types(String key) {
        return recorded().ofKey(key).events().stream().map(Event::type).toList();
    }
}
