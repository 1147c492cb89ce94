package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.testkit.DatabaseServer;
import dev.posthorn.testkit.FreshDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A hub in this JVM, on free ports and on a database of its own, on a server that all tests of the JVM share. */
public final class TestHub implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    private TestHub(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** A hub with the default settings on a new database. */
    public static TestHub start() {
        return start(Map.of());
    }

    /** A hub with these settings on a new database. */
    public static TestHub start(Map<String, ?> settings) {
        return startOn(newDatabase(), settings);
    }

    /** A hub with these settings on that database, which it may share with others. */
    public static TestHub startOn(String jdbcUrl, Map<String, ?> settings) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("posthorn.database.url", jdbcUrl);
        all.put("posthorn.database.user", DatabaseServer.newest().user());
        all.put("posthorn.database.password", DatabaseServer.newest().password());
        // A server that others keep busy may take longer to make a connection than a hub waits by default.
        all.put("posthorn.database.connect-timeout", "30s");
        // Subscriptions of tests have timeouts of up to a minute, for the same reason.
        all.put("posthorn.relay.session-ttl", "125s");
        all.putAll(settings);
        TestHub hub = begin(all);
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .atMost(120, SECONDS)
                .until(() -> hub.bean(Changes.class).isRead());
        return hub;
    }

    /** A hub with these settings, whose database may still be away. */
    public static TestHub begin(Map<String, ?> settings) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("posthorn.http.port", 0);
        all.put("posthorn.grpc.port", 0);
        all.put("posthorn.secrets.key", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
        all.putAll(settings);
        return new TestHub(Hub.start(all));
    }

    /** The JDBC URL of a new database, with a hub's tables and nothing in them. */
    public static String newDatabase() {
        return HubDatabase.create().jdbcUrl();
    }

    /** The JDBC URL of a new database without any tables. */
    public static String emptyDatabase() {
        return FreshDatabase.create().jdbcUrl();
    }

    /** As an application connects that shares this database with a hub. */
    public static DataSource dataSource(String jdbcUrl) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setURL(jdbcUrl);
        dataSource.setUser(DatabaseServer.newest().user());
        dataSource.setPassword(DatabaseServer.newest().password());
        return dataSource;
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    public int httpPort() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    /** Records an event as an application with the library does, in the same database. */
    public UUID record(Event event) {
        Database database = bean(Database.class);
        try (Connection connection = database.calls().getConnection()) {
            connection.setAutoCommit(false);
            UUID id = Outbox.create().record(connection, event);
            connection.commit();
            return id;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls its REST API. */
    public TestClient rest() {
        return new TestClient("http://127.0.0.1:" + httpPort());
    }

    @Override
    public void close() {
        context.close();
    }
}
