package dev.posthorn;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.embedded.postgres.Binaries;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A fresh database with Posthorn's schema on a server that all tests of the JVM share. */
public final class TestDatabase {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final EmbeddedPostgres server;
    private final String name;
    private final DataSource dataSource;
    private final Outbox outbox = Outbox.create();

    private TestDatabase(EmbeddedPostgres server, String name, DataSource dataSource) {
        this.server = server;
        this.name = name;
        this.dataSource = dataSource;
    }

    /** Started on first use, stopped with the JVM. */
    private static final class Server {
        static final EmbeddedPostgres NEWEST = EmbeddedPostgres.builder()
                .setting("max_prepared_transactions", "50")
                // Every test has a pool of its own, which lets go of its connections after a while.
                .setting("max_connections", "400")
                .start();
    }

    private static final class OldServer {
        static final EmbeddedPostgres OLDEST = EmbeddedPostgres.builder()
                .binaries(Binaries.oldest())
                .setting("max_prepared_transactions", "50")
                .setting("max_connections", "400")
                .start();
    }

    public static TestDatabase create() {
        return install(pooled(createEmpty()));
    }

    public static TestDatabase createOnOldest() {
        return install(pooled(createEmptyOnOldest()));
    }

    /** Without a pool, so that the server may be stopped and started. */
    public static TestDatabase create(EmbeddedPostgres server) {
        return install(createEmpty(server));
    }

    /** The same database on a server that has a copy of it. */
    public TestDatabase on(EmbeddedPostgres other) {
        return new TestDatabase(other, name, other.dataSource(name));
    }

    private static TestDatabase install(TestDatabase database) {
        new Schema(SchemaName.DEFAULT).install(database.dataSource);
        return database;
    }

    /** A new connection per event would take most of the tests' time. */
    private static TestDatabase pooled(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource);
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(30);
        config.setIdleTimeout(10_000);
        return new TestDatabase(database.server, database.name, new HikariDataSource(config));
    }

    public static TestDatabase createEmpty() {
        return createEmpty(Server.NEWEST);
    }

    public static TestDatabase createEmptyOnOldest() {
        return createEmpty(OldServer.OLDEST);
    }

    /** Without the schema, and with options of {@code CREATE DATABASE}. */
    public static TestDatabase createEmpty(String options) {
        return createEmpty(Server.NEWEST, options);
    }

    public static TestDatabase createEmpty(EmbeddedPostgres server) {
        return createEmpty(server, "");
    }

    private static TestDatabase createEmpty(EmbeddedPostgres server, String options) {
        String name = "test_" + COUNT.incrementAndGet();
        execute(server.dataSource(), "CREATE DATABASE " + name + " " + options);
        return new TestDatabase(server, name, server.dataSource(name));
    }

    public String name() {
        return name;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    /** The same database for another user. */
    public DataSource dataSource(String user, String password) {
        PGSimpleDataSource other = server.dataSource(name);
        other.setUser(user);
        other.setPassword(password);
        return other;
    }

    /** The same database with sessions of that isolation, as a pool may be set up. */
    public DataSource dataSource(String isolation) {
        PGSimpleDataSource other = server.dataSource(name);
        other.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
        return other;
    }

    public String jdbcUrl() {
        return server.jdbcUrl(name);
    }

    public int port() {
        return server.port();
    }

    public String user() {
        return server.user();
    }

    public String password() {
        return server.password();
    }

    /** A connection with an open transaction. */
    public Connection transaction() throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Records and commits one event of the key. */
    public void record(String key) {
        record(event(key));
    }

    private static Event event(String key) {
        return Event.builder()
                .source("test")
                .type("test.happened")
                .key(key)
                .json("{}")
                .build();
    }

    /** Records one event of the key in the transaction. */
    public void write(Connection connection, String key) {
        outbox.record(connection, event(key));
    }

    public void record(Event event) {
        record(List.of(event));
    }

    /** Records one event of each key, in one transaction. */
    public void recordAll(Collection<String> keys) {
        record(keys.stream().map(TestDatabase::event).toList());
    }

    private void record(List<Event> events) {
        try (Connection connection = transaction()) {
            outbox.record(connection, events);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public void execute(String sql) {
        execute(dataSource, sql);
    }

    private static void execute(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The only value of a query, as text. */
    public String value(String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public long number(String sql) {
        return Long.parseLong(value(sql));
    }
}
