package dev.posthorn;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.testkit.DatabaseServer;
import dev.posthorn.testkit.FreshDatabase;
import dev.posthorn.testkit.TemplateDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A fresh database with Posthorn's schema on a server that all tests of the JVM share. */
public final class TestDatabase extends FreshDatabase {

    private static final Schema SCHEMA = new Schema(SchemaName.DEFAULT);
    private static final TemplateDatabase INSTALLED = new TemplateDatabase(SCHEMA::install);

    private final Outbox outbox = Outbox.create();

    private TestDatabase(DatabaseServer server, String name, DataSource dataSource) {
        super(server, name, dataSource);
    }

    public static TestDatabase create() {
        return createInstalled(DatabaseServer.newest());
    }

    public static TestDatabase createOnOldest() {
        return createInstalled(DatabaseServer.oldest());
    }

    private static TestDatabase createInstalled(DatabaseServer server) {
        return createEmpty(server, INSTALLED.on(server)).pooled();
    }

    /** Without a pool, so that the server may be stopped and started. */
    public static TestDatabase create(EmbeddedPostgres server) {
        TestDatabase database = createEmpty(server);
        SCHEMA.install(database.dataSource());
        return database;
    }

    /** The same database on a server that has a copy of it. */
    public TestDatabase on(EmbeddedPostgres other) {
        DatabaseServer there = DatabaseServer.of(other);
        return new TestDatabase(there, name(), there.dataSource(name()));
    }

    /** The same by a pool: a new connection per event would take most of the tests' time. */
    public TestDatabase pooled() {
        // Tests end connections: none is given out that was not looked at, however short the time since it was used.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "-1");
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource());
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(30);
        config.setIdleTimeout(10_000);
        config.setConnectionTimeout(120_000);
        return new TestDatabase(server(), name(), new HikariDataSource(config));
    }

    public static TestDatabase createEmpty() {
        return createEmpty("");
    }

    public static TestDatabase createEmptyOnOldest() {
        return createEmpty(DatabaseServer.oldest(), "");
    }

    /** Without the schema, and with options of {@code CREATE DATABASE}. */
    public static TestDatabase createEmpty(String options) {
        return createEmpty(DatabaseServer.newest(), options);
    }

    public static TestDatabase createEmpty(EmbeddedPostgres server) {
        return createEmpty(DatabaseServer.of(server), "");
    }

    private static TestDatabase createEmpty(DatabaseServer server, String options) {
        String name = make(server, options);
        return new TestDatabase(server, name, server.dataSource(name));
    }

    /** The same database for another user. */
    public DataSource dataSource(String user, String password) {
        PGSimpleDataSource other = server().dataSource(name());
        other.setUser(user);
        other.setPassword(password);
        return other;
    }

    /** The same database with sessions of that isolation, as a pool may be set up. */
    public DataSource dataSource(String isolation) {
        PGSimpleDataSource other = server().dataSource(name());
        other.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
        return other;
    }

    public int port() {
        return server().port();
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
}
