package dev.posthorn.testkit;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PgBouncer in front of a database. */
public final class PgBouncer implements AutoCloseable {

    private final Path directory;
    private final int port;
    private final String database;
    private final Process process;

    private PgBouncer(FreshDatabase database, String mode, int servers, String more) throws IOException {
        this.directory = Files.createTempDirectory("posthorn-pgbouncer");
        this.port = FreePort.find();
        this.database = database.name();
        Path settings = Files.writeString(directory.resolve("pgbouncer.ini"), """
                [databases]
                %s = host=127.0.0.1 port=%d user=%s password=%s
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = %s
                default_pool_size = %d
                server_connect_timeout = 120
                ignore_startup_parameters = extra_float_digits
                logfile = %s
                %s
                """.formatted(
                        database.name(),
                        database.server().port(),
                        database.user(),
                        database.password(),
                        port,
                        mode,
                        servers,
                        directory.resolve("log"),
                        more));
        // Started by root it goes on as nobody, and has to read the one and write the other.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
        this.process = new ProcessBuilder(command(settings))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static List<String> command(Path settings) {
        List<String> command = new ArrayList<>(List.of(program()));
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(settings.toString());
        return command;
    }

    /** Not on everybody's path. */
    private static String program() {
        return Files.isExecutable(Path.of("/usr/sbin/pgbouncer")) ? "/usr/sbin/pgbouncer" : "pgbouncer";
    }

    /**
     * Started and listening.
     *
     * @param mode {@code transaction} or {@code session}
     * @param servers how many connections it has to the database at most
     */
    public static PgBouncer start(FreshDatabase database, String mode, int servers) {
        return start(database, mode, servers, "");
    }

    /** With one more line of settings. */
    public static PgBouncer start(FreshDatabase database, String mode, int servers, String more) {
        try {
            PgBouncer started = new PgBouncer(database, mode, servers, more);
            await().atMost(Duration.ofMinutes(2)).until(started::listens);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("PgBouncer is needed (Debian, Ubuntu: apt-get install pgbouncer)", e);
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** As its users set it up: without statements that the server remembers. */
    public PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setServerNames(new String[] {"127.0.0.1"});
        dataSource.setPortNumbers(new int[] {port});
        dataSource.setDatabaseName(database);
        dataSource.setUser("anybody");
        dataSource.setPrepareThreshold(0);
        return dataSource;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                // What is still alive may write its log again.
                process.destroyForcibly().waitFor();
            }
            for (String file : List.of("pgbouncer.ini", "log")) {
                Files.deleteIfExists(directory.resolve(file));
            }
            Files.deleteIfExists(directory);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
