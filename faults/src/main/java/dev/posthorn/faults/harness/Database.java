package dev.posthorn.faults.harness;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A fresh database with Posthorn's schema and a table of aggregates, each with a counter of its changes. */
public final class Database {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final EmbeddedPostgres server;
    private final String name;
    private final String jdbcUrl;
    private final DataSource dataSource;
    private final int aggregates;

    private Database(EmbeddedPostgres server, String name, String jdbcUrl, int aggregates) {
        this.server = server;
        this.name = name;
        this.jdbcUrl = jdbcUrl;
        this.dataSource = dataSource(jdbcUrl, server.user(), server.password());
        this.aggregates = aggregates;
    }

    public static Database create(EmbeddedPostgres server, int aggregates) throws SQLException {
        String name = "faults_" + COUNT.incrementAndGet();
        execute(server.dataSource(), "CREATE DATABASE " + name);
        Database database = new Database(server, name, server.jdbcUrl(name), aggregates);
        new Schema(SchemaName.DEFAULT).install(database.dataSource);
        database.execute(
                "CREATE TABLE aggregate (id integer PRIMARY KEY, counter bigint NOT NULL) WITH (fillfactor = 50)");
        database.execute("INSERT INTO aggregate SELECT i, 0 FROM generate_series(0, " + (aggregates - 1) + ") i");
        return database;
    }

    /** The same, wherever it is: on whichever of the ports the primary listens. */
    public Database onEither(int port, int other) {
        String url = "jdbc:postgresql://127.0.0.1:" + port + ",127.0.0.1:" + other + "/" + name
                + "?targetServerType=primary&hostRecheckSeconds=0";
        return new Database(server, name, url, aggregates);
    }

    /** Without the question for TLS, to which the driver gives the server 5 s: too short on a machine that is busy. */
    static DataSource dataSource(String jdbcUrl, String user, String password) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl);
        dataSource.setSslMode("disable");
        dataSource.setUser(user);
        dataSource.setPassword(password);
        return dataSource;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    public EmbeddedPostgres server() {
        return server;
    }

    public String jdbcUrl() {
        return jdbcUrl;
    }

    public int aggregates() {
        return aggregates;
    }

    public void execute(String sql) throws SQLException {
        execute(dataSource, sql);
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Nobody wants to wait for them: the process that served the subscription is gone, and so would be its leases. */
    public void endLeases(String subscription) throws SQLException {
        execute("DELETE FROM posthorn.session WHERE id IN (SELECT v.session_id FROM posthorn.served v"
                + " JOIN posthorn.subscription s ON s.id = v.subscription_id WHERE s.name = '" + subscription + "')");
    }

    /** The first column of a query, as text. */
    public List<String> column(String sql) throws SQLException {
        return column(dataSource, sql);
    }

    private static List<String> column(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    /** The first number of a query. */
    public long number(String sql) throws SQLException {
        return number(dataSource, sql);
    }

    public static long number(DataSource dataSource, String sql) throws SQLException {
        return Long.parseLong(column(dataSource, sql).get(0));
    }

    /** What was committed. Fails unless every aggregate has exactly the events that its counter tells of. */
    public List<Change> committed() throws SQLException {
        List<Change> changes = Change.recorded(dataSource);
        long counted = number("SELECT sum(counter) FROM aggregate");
        long distinct = changes.stream()
                .map(change -> change.aggregate() + " " + change.counter())
                .distinct()
                .count();
        if (counted != changes.size() || counted != distinct) {
            throw new IllegalStateException("the writers are wrong: aggregates count " + counted
                    + " changes, the log holds " + changes.size() + " events, " + distinct + " of them different");
        }
        return changes;
    }
}
