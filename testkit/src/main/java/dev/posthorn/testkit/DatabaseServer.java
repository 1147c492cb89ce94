package dev.posthorn.testkit;

import dev.posthorn.embedded.postgres.Binaries;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Where a PostgreSQL is, and how to get in. */
public record DatabaseServer(int port, String user, String password) {

    private static final String SHARED = "posthorn.test.server";

    public static DatabaseServer of(EmbeddedPostgres server) {
        return new DatabaseServer(server.port(), server.user(), server.password());
    }

    /** The one that all tests of the JVM share: started on first use, stopped with the JVM. */
    public static DatabaseServer newest() {
        return Newest.SERVER;
    }

    /** As {@link #newest()}, of the oldest version that we support. */
    public static DatabaseServer oldest() {
        return Oldest.SERVER;
    }

    private static EmbeddedPostgres start(Binaries binaries) {
        return EmbeddedPostgres.builder()
                .binaries(binaries)
                .setting("max_prepared_transactions", "50")
                // Every test may have a pool of its own, which lets go of its connections after a while.
                .setting("max_connections", "400")
                .start();
    }

    /** The option of a JVM that has its tests share this server instead of starting one. */
    public String asJvmOption() {
        return "-D" + SHARED + "=" + port + ":" + user + ":" + password;
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** Without a pool, so that the server may be stopped and started; and without TLS, as the server's own. */
    public PGSimpleDataSource dataSource(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl(database));
        dataSource.setSslMode("disable");
        dataSource.setUser(user);
        dataSource.setPassword(password);
        return dataSource;
    }

    /** As an administrator, in no database of the tests. */
    public void execute(String sql) {
        execute(dataSource("postgres"), sql);
    }

    static void execute(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Newest {

        static final DatabaseServer SERVER = find(System.getProperty(SHARED));

        private static DatabaseServer find(@Nullable String shared) {
            if (shared == null) {
                return of(start(Binaries.newest()));
            }
            String[] parts = shared.split(":", 3);
            return new DatabaseServer(Integer.parseInt(parts[0]), parts[1], parts[2]);
        }
    }

    private static final class Oldest {
        static final DatabaseServer SERVER = of(start(Binaries.oldest()));
    }
}
