package dev.posthorn.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A new, empty database, and short ways to ask it. Modules extend it by what they put into theirs. */
public class FreshDatabase {

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Those on servers that outlive their tests, as statements that drop them. */
    private static final Queue<Runnable> TO_DROP = new ConcurrentLinkedQueue<>();

    private final DatabaseServer server;
    private final String name;
    private final DataSource dataSource;

    /** What to do with a row. */
    public interface Reading<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** One that is there already. */
    protected FreshDatabase(DatabaseServer server, String name, DataSource dataSource) {
        this.server = server;
        this.name = name;
        this.dataSource = dataSource;
    }

    /** A new one on that server, with options of {@code CREATE DATABASE}; connections without a pool. */
    protected FreshDatabase(DatabaseServer server, String options) {
        this.server = server;
        this.name = make(server, options);
        this.dataSource = server.dataSource(name);
    }

    /** On the server that all tests of the JVM share. */
    public static FreshDatabase create() {
        return new FreshDatabase(DatabaseServer.newest(), "");
    }

    /** Makes a database with options of {@code CREATE DATABASE}, and gives its name. */
    protected static String make(DatabaseServer server, String options) {
        String name = makeToStay(server, options);
        if (server.isShared()) {
            TO_DROP.add(() -> server.execute("DROP DATABASE " + name + " WITH (FORCE)"));
        }
        return name;
    }

    /** One that {@link #dropAll()} leaves. */
    static String makeToStay(DatabaseServer server, String options) {
        // More than one JVM may have tests on this server.
        String name = "test_" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet();
        server.execute("CREATE DATABASE " + name + " " + options + " " + server.copying());
        return name;
    }

    /** Drops all that were made on shared servers so far, with the sessions in them. */
    static void dropAll() {
        for (Runnable drop = TO_DROP.poll(); drop != null; drop = TO_DROP.poll()) {
            drop.run();
        }
    }

    public final DatabaseServer server() {
        return server;
    }

    public final String name() {
        return name;
    }

    public final DataSource dataSource() {
        return dataSource;
    }

    public final String jdbcUrl() {
        return server.jdbcUrl(name);
    }

    public final String user() {
        return server.user();
    }

    public final String password() {
        return server.password();
    }

    /** With user and password in it. */
    public final String completeUrl() {
        return jdbcUrl() + "?user=" + user() + "&password=" + password();
    }

    /** A connection with an open transaction. */
    public final Connection transaction() throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    public final void execute(String sql) {
        DatabaseServer.execute(dataSource, sql);
    }

    /** All rows of a query. */
    public final <T> List<T> query(String sql, Reading<T> reading) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(reading.of(rows));
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The first column of a query, as text. */
    public final List<String> column(String sql) {
        return query(sql, row -> row.getString(1));
    }

    /** The first value of a query, as text. */
    public final String value(String sql) {
        return column(sql).get(0);
    }

    public final long number(String sql) {
        return Long.parseLong(value(sql));
    }
}
