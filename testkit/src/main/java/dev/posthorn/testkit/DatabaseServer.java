package dev.posthorn.testkit;

import dev.posthorn.embedded.postgres.Binaries;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Where a PostgreSQL is, and how to get in. */
public record DatabaseServer(int port, String user, String password) {

    private static final String SHARED = "posthorn.test.server";

    /** Those that all tests of the JVM share, and how each best copies a database. */
    private static final Map<DatabaseServer, String> COPYING = new ConcurrentHashMap<>();

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

    private static DatabaseServer start(Binaries binaries) {
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .binaries(binaries)
                .setting("max_prepared_transactions", "50")
                // Every test may have a pool of its own, which lets go of its connections after a while.
                .setting("max_connections", "400")
                .setting("hba_file", accessRules().toString())
                .start();
        execute(
                server.dataSource(),
                "SET password_encryption = 'md5'; ALTER USER " + server.user() + " PASSWORD '" + server.password()
                        + "'");
        return of(server);
    }

    /**
     * Whoever comes needs a password, and may show it by MD5 if it is stored so: SCRAM takes a client 10 ms of CPU instead of
     * 2, which is most of what a connection costs, and tests make many thousands. It is still how roles of the tests come in.
     */
    private static Path accessRules() {
        try {
            Path file = Files.createTempFile("posthorn-", ".hba");
            file.toFile().deleteOnExit();
            Files.writeString(file, "host all all 127.0.0.1/32 md5\nhost replication all 127.0.0.1/32 md5\n");
            // The server may run as another user than root.
            return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DatabaseServer share(DatabaseServer server, String copying) {
        COPYING.put(server, copying);
        return server;
    }

    /** Whether it is one that outlives its tests. */
    boolean isShared() {
        return COPYING.containsKey(this);
    }

    /** The option of {@code CREATE DATABASE} with which that is cheapest there. */
    String copying() {
        return COPYING.getOrDefault(this, "");
    }

    /** File by file is half the work of copying by way of the WAL, but on a disk it waits for that hundreds of times. */
    private static String copyingFiles() {
        try {
            Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
            return Files.getFileStore(temporary).type().equals("tmpfs") ? "STRATEGY file_copy" : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
                return share(start(Binaries.newest()), copyingFiles());
            }
            String[] parts = shared.split(":", 3);
            return share(new DatabaseServer(Integer.parseInt(parts[0]), parts[1], parts[2]), "");
        }
    }

    private static final class Oldest {
        /** It copies file by file and knows no other way. */
        static final DatabaseServer SERVER = share(start(Binaries.oldest()), "");
    }
}
