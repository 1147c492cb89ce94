package dev.posthorn.benchmarks.testbed;

import dev.posthorn.embedded.kafka.KafkaProcess;
import dev.posthorn.kafka.KafkaSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** Kafka in a process of its own, so that its garbage and its threads count for neither side of a comparison. */
public final class Broker implements AutoCloseable {

    private static final int PARTITIONS = 8;

    private final Path directory;
    private final ChildProgram program;
    private final String bootstrapServers;
    private final Thread atExit = new Thread(this::end, "bench-end-broker");

    private Broker(Path directory, ChildProgram program) throws IOException {
        this.directory = directory;
        this.program = program;
        Runtime.getRuntime().addShutdownHook(atExit);
        this.bootstrapServers = program.awaitLine("ready ");
    }

    public static Broker start() throws IOException {
        Path directory = Files.createTempDirectory("posthorn-bench-kafka-");
        ChildProgram program = ChildProgram.start(
                KafkaProcess.class,
                List.of("-Xms1g", "-Xmx1g"),
                Map.of(),
                List.of(
                        directory.toString(),
                        "0",
                        // Old rounds' files go soon, or their writing back to disk would disturb the next round.
                        "log.segment.delete.delay.ms=500",
                        // On a machine that is busy with the benchmark itself, the broker must not count as dead.
                        "broker.session.timeout.ms=60000"));
        return new Broker(directory, program);
    }

    public String bootstrapServers() {
        return bootstrapServers;
    }

    /**
     * Creates a topic and waits until each partition is led. A producer whose first batch meets one that is not yet,
     * while the ones behind it are taken, never gets out of that: the broker refuses the first for its sequence number.
     */
    public void createTopic(String name) {
        Map<TopicPartition, OffsetSpec> ends = IntStream.range(0, PARTITIONS)
                .boxed()
                .collect(Collectors.toMap(i -> new TopicPartition(name, i), i -> OffsetSpec.latest()));
        await("create the topic " + name, admin -> {
            admin.createTopics(List.of(new NewTopic(name, PARTITIONS, (short) 1)))
                    .all()
                    .get();
            while (!isLed(admin, ends)) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
        });
    }

    private static boolean isLed(Admin admin, Map<TopicPartition, OffsetSpec> ends) throws InterruptedException {
        try {
            admin.listOffsets(ends).all().get();
            return true;
        } catch (ExecutionException notYet) {
            return false;
        }
    }

    public KafkaSink sink(String topic) {
        return KafkaSink.builder(bootstrapServers).topic(topic).build();
    }

    public void deleteTopic(String name) {
        await(
                "delete the topic " + name,
                admin -> admin.deleteTopics(List.of(name)).all().get());
    }

    private interface AdminCall {
        void send(Admin admin) throws ExecutionException, InterruptedException;
    }

    private void await(String purpose, AdminCall request) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            request.send(admin);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Could not " + purpose + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting to " + purpose, e);
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException shuttingDown) {
            // The hook runs or has run: nothing is left to take back.
            return;
        }
    }

    private synchronized void end() {
        program.close();
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(Broker::delete);
            } catch (IOException e) {
                throw new UncheckedIOException("Could not delete " + directory, e);
            }
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
