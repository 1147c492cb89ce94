package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A hub in this JVM, on free ports and on a database of its own, on a server that all tests of the JVM share. */
public final class TestHub implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final ConfigurableApplicationContext context;

    private TestHub(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Started on first use, stopped with the JVM. */
    private static final class Server {
        static final EmbeddedPostgres NEWEST =
                EmbeddedPostgres.builder().setting("max_connections", "300").start();
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
        all.put("posthorn.database.user", Server.NEWEST.user());
        all.put("posthorn.database.password", Server.NEWEST.password());
        all.putAll(settings);
        TestHub hub = begin(all);
        await().atMost(30, SECONDS).until(() -> hub.bean(Changes.class).isRead());
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

    /** The JDBC URL of a new, empty database. */
    public static String newDatabase() {
        String name = "hub_" + COUNT.incrementAndGet();
        try (Connection connection = Server.NEWEST.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return Server.NEWEST.jdbcUrl(name);
    }

    /** For whoever must know its port before it is started. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** As an application connects that shares this database with a hub. */
    public static DataSource dataSource(String jdbcUrl) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setURL(jdbcUrl);
        dataSource.setUser(Server.NEWEST.user());
        dataSource.setPassword(Server.NEWEST.password());
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
