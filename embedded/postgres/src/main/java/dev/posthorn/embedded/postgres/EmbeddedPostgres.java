package dev.posthorn.embedded.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server of one's own, whose data is as safe as in any other: what is committed survives a kill of the server, of
 * this JVM, or of both.
 *
 * <p>The server is a child process. It outlives a JVM that is killed; the next start on the same directory stops it and goes on
 * with its data. The pid file is never deleted: it and the shared memory it names are how PostgreSQL itself makes sure that two
 * servers never write the same files.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);

    private static final List<String> DURABLE = List.of("fsync", "synchronous_commit", "full_page_writes");
    private static final Duration LAST_BACKENDS_GO = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(20);

    private final Path directory;
    private final boolean temporary;
    private final Map<String, String> settings;
    private final Duration startTimeout;
    private final int port;
    private final DirectoryLock lock;
    private final Cluster cluster;
    private final Thread atExit = new Thread(this::stopAtExit, "posthorn-postgres-stop");
    private @Nullable Process server;
    private boolean closed;

    private EmbeddedPostgres(Builder builder, Path directory, DirectoryLock lock, Cluster cluster) {
        this.directory = directory;
        this.temporary = builder.directory == null;
        this.settings = Map.copyOf(builder.settings);
        this.startTimeout = builder.startTimeout;
        this.port = builder.port == 0 ? FreePort.find() : builder.port;
        this.lock = lock;
        this.cluster = cluster;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A started server in a directory of its own that {@link #close()} deletes. */
    public static EmbeddedPostgres temporary() {
        return builder().start();
    }

    /** Starts the server again after {@link #stop()} or {@link #kill()}, on the same port and data. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("The embedded PostgreSQL in " + directory + " is closed");
        }
        if (isRunning()) {
            return;
        }
        try {
            cluster.createIfMissing();
            stopServerLeftBehind();
            launchOnceBackendsAreGone();
            requireDurability();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start PostgreSQL in " + directory, e);
        }
        LOG.info("PostgreSQL is ready on 127.0.0.1:{}, process {}, data in {}", port, processId(), directory);
    }

    /** Stops the server: sessions end, their open transactions roll back. Does nothing if it is not running. */
    public synchronized void stop() {
        stop(false);
    }

    private void stop(boolean forGood) {
        Process running = server;
        if (running == null) {
            return;
        }
        try {
            if (running.isAlive()) {
                if (forGood) {
                    cluster.stopForGood();
                } else {
                    cluster.stopFast();
                }
                running.waitFor();
            }
            server = null;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not stop the PostgreSQL in " + directory, e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Kills the server and all its processes at once (SIGKILL), as a power cut or the kernel's out-of-memory killer would. */
    public synchronized void kill() {
        Process running = server;
        if (running == null) {
            return;
        }
        List<ProcessHandle> children = running.descendants().toList();
        // The parent first: it would answer the death of a child by a restart of its own.
        running.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        try {
            running.waitFor();
            long deadline = System.nanoTime() + LAST_BACKENDS_GO.toNanos();
            List<ProcessHandle> rest = cluster.processes();
            while (!rest.isEmpty() && System.nanoTime() < deadline) {
                rest.forEach(ProcessHandle::destroyForcibly);
                pause();
                rest = cluster.processes();
            }
            server = null;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Stops the server and lets go of the directory; a temporary one is deleted. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        try {
            stop(temporary);
            closed = true;
            lock.close();
            if (temporary) {
                Folders.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not close the PostgreSQL in " + directory, e);
        } finally {
            leaveAtExit();
        }
    }

    public synchronized boolean isRunning() {
        return server != null && server.isAlive();
    }

    public String jdbcUrl() {
        return jdbcUrl("postgres");
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** The superuser that owns the cluster. */
    public String user() {
        return Cluster.USER;
    }

    /** The superuser's password, made at random when the cluster was created. */
    public String password() {
        try {
            return cluster.password();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot read the password of the PostgreSQL in " + directory
                            + " from its file posthorn.password, which was written when the cluster was created",
                    e);
        }
    }

    /** The port, the same for the life of this object. */
    public int port() {
        return port;
    }

    public PGSimpleDataSource dataSource() {
        return dataSource("postgres");
    }

    /** Does not ask for TLS, which this server has not: the driver waits 5 s for that answer, too short on a busy machine. */
    public PGSimpleDataSource dataSource(String database) {
        var dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl(database));
        dataSource.setSslMode("disable");
        dataSource.setUser(user());
        dataSource.setPassword(password());
        return dataSource;
    }

    /** Where {@code postgres}, {@code initdb} and {@code pg_ctl} of this version are. */
    public Path binDirectory() {
        return cluster.bin();
    }

    /** PostgreSQL's own data directory, as {@code pg_ctl --pgdata} takes it. */
    public Path clusterDirectory() {
        return cluster.data();
    }

    /** What the server writes; the first place to look when it does not start. */
    public Path logFile() {
        return cluster.log();
    }

    /** The process id of the running server (its postmaster). */
    public synchronized long processId() {
        if (server == null) {
            throw new IllegalStateException("The embedded PostgreSQL in " + directory + " is not running");
        }
        return server.pid();
    }

    private void stopServerLeftBehind() throws IOException {
        Optional<ProcessHandle> left = cluster.runningServer();
        if (left.isPresent()) {
            LOG.info(
                    "PostgreSQL process {} in {} was left behind by a program that was killed; stopping it before the start",
                    left.get().pid(),
                    directory);
            cluster.stopFast();
        }
    }

    /** After a kill of the server alone its last backends need a moment to notice, and PostgreSQL rightly refuses to start beside them. */
    private void launchOnceBackendsAreGone() throws IOException {
        long deadline = System.nanoTime() + LAST_BACKENDS_GO.toNanos();
        try {
            while (!cluster.processes().isEmpty() && System.nanoTime() < deadline) {
                pause();
            }
            launch();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void launch() throws IOException, InterruptedException {
        Process process = cluster.launch(serverSettings());
        server = process;
        long deadline = System.nanoTime() + startTimeout.toNanos();
        while (!cluster.isReady(process.pid())) {
            if (process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
                server = null;
                throw startFailed("ended with exit code " + process.exitValue() + " instead of starting");
            }
            if (System.nanoTime() > deadline) {
                kill();
                throw startFailed("was not ready after " + startTimeout.toSeconds()
                        + " s and was killed; a longer startTimeout(...) lets a long recovery finish");
            }
        }
    }

    private EmbeddedPostgresException startFailed(String what) {
        return new EmbeddedPostgresException("PostgreSQL in " + directory + " on port " + port + " " + what
                + ". The last lines of " + cluster.log() + ":\n" + cluster.logTail());
    }

    private Map<String, String> serverSettings() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("max_connections", "200");
        all.put("timezone", "UTC");
        all.put("log_timezone", "UTC");
        all.putAll(settings);
        all.put("listen_addresses", "127.0.0.1");
        all.put("port", Integer.toString(port));
        // TCP is enough, and a socket would need a folder that every account may write.
        all.put("unix_socket_directories", "");
        DURABLE.forEach(name -> all.put(name, "on"));
        return all;
    }

    /** Asks the server itself: a file of the cluster, a flag or another version could have said otherwise. */
    private void requireDurability() {
        try (Connection connection = dataSource().getConnection();
                var statement = connection.createStatement()) {
            for (String name : DURABLE) {
                try (var row = statement.executeQuery("SHOW " + name)) {
                    if (!row.next() || !row.getString(1).equals("on")) {
                        throw new EmbeddedPostgresException("PostgreSQL in " + directory + " runs with " + name
                                + " off and could lose committed data; it was stopped. Look for the setting in the"
                                + " postgresql.conf and postgresql.auto.conf of the cluster.");
                    }
                }
            }
        } catch (SQLException e) {
            stop();
            throw new EmbeddedPostgresException(
                    "PostgreSQL in " + directory + " started on port " + port + " but refused a connection: "
                            + e.getMessage() + ". The last lines of its log:\n" + cluster.logTail(),
                    e);
        } catch (EmbeddedPostgresException e) {
            stop();
            throw e;
        }
    }

    private void stopAtExit() {
        try {
            close();
        } catch (RuntimeException e) {
            LOG.warn("PostgreSQL in {} could not be stopped; the next start on the directory will do it", directory, e);
        }
    }

    /**
     * The server is stopped when the JVM exits; from here on it is not. For whoever has an order of its own in which things
     * end, and calls {@link #close()}.
     */
    public void leaveAtExit() {
        if (Thread.currentThread() != atExit) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException e) {
                LOG.debug("The JVM is shutting down, its hooks stay", e);
            }
        }
    }

    private static void pause() throws InterruptedException {
        Thread.sleep(POLL.toMillis());
    }

    private EmbeddedPostgresException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new EmbeddedPostgresException("Interrupted while waiting for the PostgreSQL in " + directory, e);
    }

    /** What to start, and where. Everything has a default: without a data directory the server is temporary. */
    public static final class Builder {
        private static final Set<String> OURS = Set.of(
                "fsync",
                "synchronous_commit",
                "full_page_writes",
                "listen_addresses",
                "port",
                "unix_socket_directories",
                "data_directory");

        private final Map<String, String> settings = new LinkedHashMap<>();
        private @Nullable Path directory;
        private int port;
        private Binaries binaries = Binaries.newest();
        private Duration startTimeout = Duration.ofMinutes(5);
        private @Nullable EmbeddedPostgres original;

        private Builder() {}

        /** Where the data, the log and the lock live; created if missing. It belongs to the server alone. */
        public Builder dataDirectory(Path directory) {
            this.directory = directory.toAbsolutePath().normalize();
            return this;
        }

        /** 0, the default, takes a free port; the server keeps it over restarts by {@link EmbeddedPostgres#start()}. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        public Builder binaries(Binaries binaries) {
            this.binaries = binaries;
            return this;
        }

        /** A server setting, as in postgresql.conf. Those that make the server durable and reachable cannot be changed. */
        public Builder setting(String name, String value) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (OURS.contains(lower)) {
                throw new IllegalArgumentException("The setting " + name
                        + " is fixed for the embedded PostgreSQL; use a PostgreSQL of your own to change it");
            }
            settings.put(lower, value);
            return this;
        }

        /** How long recovery after a crash may take before the start counts as failed; five minutes by default. */
        public Builder startTimeout(Duration startTimeout) {
            this.startTimeout = startTimeout;
            return this;
        }

        /** A copy of this server, which follows it. */
        Builder copying(EmbeddedPostgres original) {
            this.original = original;
            return this;
        }

        public EmbeddedPostgres start() {
            try {
                Path home = directory == null ? Files.createTempDirectory("posthorn-postgres-") : directory;
                Files.createDirectories(home);
                // PostgreSQL shows real paths; with links in ours, its processes would not be known as its own.
                return start(home.toRealPath());
            } catch (IOException e) {
                throw new UncheckedIOException("Could not prepare the directory of the embedded PostgreSQL", e);
            }
        }

        private EmbeddedPostgres start(Path home) throws IOException {
            DirectoryLock lock = DirectoryLock.take(home);
            EmbeddedPostgres postgres = null;
            try {
                ServerAccount account = ServerAccount.find();
                Cluster cluster = new Cluster(home, binaries.unpackInto(account.cache()), account);
                if (original != null) {
                    new BaseBackup(original).into(cluster);
                }
                postgres = new EmbeddedPostgres(this, home, lock, cluster);
                Runtime.getRuntime().addShutdownHook(postgres.atExit);
                postgres.start();
                return postgres;
            } catch (RuntimeException e) {
                release(postgres, lock, e);
                throw e;
            }
        }

        private static void release(@Nullable EmbeddedPostgres postgres, DirectoryLock lock, RuntimeException failure) {
            try {
                if (postgres == null) {
                    lock.close();
                } else {
                    postgres.close();
                }
            } catch (RuntimeException | IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
