package dev.posthorn.embedded.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka cluster of one node, broker and controller in one, inside this JVM.
 *
 * <p>It keeps its ports and its data over {@link #stop()} and {@link #start()}, so that a test can take the broker away and give
 * it back. A broker that is to be frozen or killed runs as a program of its own: {@link KafkaProcess}.
 *
 * <p>Clients come in by the listener {@code CLIENTS}, which {@link Builder#setting} can give another security protocol. The
 * administrator, that is {@link #createTopic} and the broker itself, comes in by {@code INTERNAL}, which stays plain text; with
 * an authorizer it is the user {@code User:ANONYMOUS}, which is a super user here.
 */
public final class EmbeddedKafka implements AutoCloseable {
    private static final int NODE = 1;
    private static final Duration TOPIC_LIMIT = Duration.ofMinutes(1);

    private final Path directory;
    private final boolean temporary;
    private final Map<String, String> settings;
    private final int port;
    private final int advertisedPort;
    private final int internalPort;
    private final int controllerPort;
    private final Thread atExit = new Thread(this::close, "posthorn-kafka-stop");
    private @Nullable KafkaRaftServer server;

    private EmbeddedKafka(Builder builder, Path directory) {
        this.directory = directory;
        this.temporary = builder.directory == null;
        this.settings = Map.copyOf(builder.settings);
        List<Integer> free = FreePort.find(3);
        this.port = builder.port == 0 ? free.get(0) : builder.port;
        this.advertisedPort = builder.advertisedPort == 0 ? port : builder.advertisedPort;
        this.internalPort = free.get(1);
        this.controllerPort = free.get(2);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A started broker in a directory of its own that {@link #close()} deletes. */
    public static EmbeddedKafka temporary() {
        return builder().start();
    }

    /** Starts the broker again after {@link #stop()}, on the same ports and data. */
    public synchronized void start() {
        if (server != null) {
            return;
        }
        format();
        var starting = new KafkaRaftServer(KafkaConfig.fromProps(properties(), false), Time.SYSTEM);
        try {
            starting.startup();
            server = starting;
        } catch (RuntimeException e) {
            starting.shutdown();
            throw new IllegalStateException(
                    "Kafka did not start in " + directory + " on port " + port + ": " + e.getMessage(), e);
        }
    }

    /** Stops the broker and waits until its files are closed. Does nothing if it is not running. */
    public synchronized void stop() {
        KafkaRaftServer running = server;
        if (running == null) {
            return;
        }
        server = null;
        running.shutdown();
        running.awaitShutdown();
    }

    @Override
    public synchronized void close() {
        stop();
        if (temporary) {
            deleteDirectory();
        }
        if (Thread.currentThread() != atExit) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException e) {
                // The JVM is already shutting down, and the broker is stopped: the hook finds nothing to do.
                return;
            }
        }
    }

    public String bootstrapServers() {
        return "127.0.0.1:" + advertisedPort;
    }

    /** The listener that needs no login, whatever the settings ask of clients. */
    public String internalBootstrapServers() {
        return "127.0.0.1:" + internalPort;
    }

    public int port() {
        return port;
    }

    public void createTopic(String name, int partitions) {
        createTopic(name, partitions, Map.of());
    }

    public void createTopic(String name, int partitions, Map<String, String> config) {
        try (Admin admin = admin()) {
            createTopic(admin, new NewTopic(name, partitions, (short) 1).configs(config));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while creating the topic " + name, e);
        }
    }

    /**
     * Creates a topic on the broker of that client. One that has stood still for some seconds counts as away until its next
     * heartbeat, and there is none for a replica meanwhile: that is waited for.
     */
    public static void createTopic(Admin admin, NewTopic topic) throws InterruptedException {
        long giveUpAt = System.nanoTime() + TOPIC_LIMIT.toNanos();
        while (true) {
            try {
                admin.createTopics(List.of(topic)).all().get();
                return;
            } catch (ExecutionException e) {
                boolean isAway = e.getCause() instanceof InvalidReplicationFactorException;
                if (!isAway || System.nanoTime() > giveUpAt) {
                    throw new IllegalStateException(
                            "Could not create the topic " + topic.name() + ": " + e.getMessage(), e);
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    /** A client that may do everything, for access rules, settings of topics and the like. The caller closes it. */
    public Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", internalBootstrapServers()));
    }

    private Properties properties() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("listener.security.protocol.map", "CLIENTS:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT");
        all.put("auto.create.topics.enable", "true");
        all.put("num.partitions", "8");
        all.put("offsets.topic.replication.factor", "1");
        all.put("offsets.topic.num.partitions", "1");
        all.put("transaction.state.log.replication.factor", "1");
        all.put("transaction.state.log.min.isr", "1");
        all.put("transaction.state.log.num.partitions", "1");
        all.put("share.coordinator.state.topic.replication.factor", "1");
        all.put("share.coordinator.state.topic.min.isr", "1");
        all.put("min.insync.replicas", "1");
        all.put("default.replication.factor", "1");
        all.put("group.initial.rebalance.delay.ms", "0");
        // A broker that was killed may register again only when its last session has run out, which takes 9 s by
        // default.
        all.put("broker.session.timeout.ms", "3000");
        all.put("broker.heartbeat.interval.ms", "500");
        // The broker cleans its files in the background with this many bytes per thread; the default is 128 MB for
        // nothing.
        all.put("log.cleaner.dedupe.buffer.size", "4194304");
        all.put("super.users", "User:ANONYMOUS");
        all.putAll(settings);
        all.put("process.roles", "broker,controller");
        all.put("node.id", Integer.toString(NODE));
        all.put("log.dirs", directory.toString());
        all.put("controller.quorum.voters", NODE + "@127.0.0.1:" + controllerPort);
        all.put("controller.listener.names", "CONTROLLER");
        all.put("inter.broker.listener.name", "INTERNAL");
        String internal = ",INTERNAL://127.0.0.1:" + internalPort;
        all.put("listeners", "CLIENTS://127.0.0.1:" + port + internal + ",CONTROLLER://127.0.0.1:" + controllerPort);
        all.put("advertised.listeners", "CLIENTS://127.0.0.1:" + advertisedPort + internal);
        var properties = new Properties();
        properties.putAll(all);
        return properties;
    }

    /** A directory has to be formatted once; a directory that already is stays as it is. */
    private void format() {
        try {
            new Formatter()
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .setSupportedFeatures(List.copyOf(Feature.PRODUCTION_FEATURES))
                    .setNodeId(NODE)
                    .setClusterId(clusterId().orElseGet(() -> Uuid.randomUuid().toString()))
                    .addDirectory(directory.toString())
                    .setMetadataLogDirectory(directory.toString())
                    .setControllerListenerName("CONTROLLER")
                    .setReleaseVersion(MetadataVersion.latestProduction())
                    .setIgnoreFormatted(true)
                    .run();
        } catch (Exception e) {
            throw new IllegalStateException(
                    "Could not prepare " + directory + " for Kafka: " + e.getMessage()
                            + ". The directory must be empty or that of an earlier embedded Kafka.",
                    e);
        }
    }

    private Optional<String> clusterId() throws IOException {
        Path file = directory.resolve("meta.properties");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var properties = new Properties();
        try (var reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        return Optional.ofNullable(properties.getProperty("cluster.id"));
    }

    private void deleteDirectory() {
        try {
            if (Files.exists(directory)) {
                Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) throws IOException {
                        Files.deleteIfExists(folder);
                        return FileVisitResult.CONTINUE;
                    }
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not delete the temporary directory " + directory, e);
        }
    }

    /** What to start, and where. Everything has a default: without a log directory the broker is temporary. */
    public static final class Builder {
        private final Map<String, String> settings = new LinkedHashMap<>();
        private @Nullable Path directory;
        private int port;
        private int advertisedPort;

        private Builder() {}

        /** Where the data lives; created if missing. It belongs to the broker alone. */
        public Builder logDirectory(Path directory) {
            this.directory = directory.toAbsolutePath().normalize();
            return this;
        }

        /** The port of clients. 0, the default, takes a free one, which the broker keeps over restarts. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Where clients are told to come, if something stands between them and the broker. Left out: its own port. */
        public Builder advertisedPort(int port) {
            this.advertisedPort = port;
            return this;
        }

        /** A broker setting, as in server.properties. Listeners, roles and directories are fixed. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /**
         * Clients have to log in by SASL/PLAIN as one of these users (name to password), and may do only what access rules allow
         * them; none are there at first.
         */
        public Builder users(Map<String, String> passwords) {
            var jaas = new StringBuilder("org.apache.kafka.common.security.plain.PlainLoginModule required");
            passwords.forEach((user, password) -> jaas.append(" user_%s=\"%s\"".formatted(user, password)));
            return setting(
                            "listener.security.protocol.map",
                            "CLIENTS:SASL_PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT")
                    .setting("listener.name.clients.sasl.enabled.mechanisms", "PLAIN")
                    .setting(
                            "listener.name.clients.plain.sasl.jaas.config",
                            jaas.append(';').toString())
                    .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        }

        public EmbeddedKafka start() {
            try {
                Path home = directory == null ? Files.createTempDirectory("posthorn-kafka-") : directory;
                Files.createDirectories(home);
                var kafka = new EmbeddedKafka(this, home);
                Runtime.getRuntime().addShutdownHook(kafka.atExit);
                try {
                    kafka.start();
                } catch (RuntimeException e) {
                    kafka.close();
                    throw e;
                }
                return kafka;
            } catch (IOException e) {
                throw new UncheckedIOException("Could not prepare the directory of the embedded Kafka", e);
            }
        }
    }
}
