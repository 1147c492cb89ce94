package dev.posthorn.benchmarks.testbed;

import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.server.Serve;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The hub in a process of its own, started as people start it. */
public final class HubProcess implements AutoCloseable {

    private static final String GRPC = ", gRPC on ";
    private static final String LISTENS = "Posthorn listens: REST on ";
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration LONGEST_START = Duration.ofMinutes(3);
    private static final int OK = 200;

    private final ChildProgram program;
    private final String rest;
    private final String grpc;

    private HubProcess(ChildProgram program, String listens) {
        this.program = program;
        int comma = listens.indexOf(GRPC);
        this.rest = listens.substring(0, comma);
        this.grpc = listens.substring(comma + GRPC.length(), listens.length() - 1);
    }

    /** On a database of the benchmark's server; returns when it is ready. */
    public static HubProcess start(Server server, String database, List<String> jvmOptions) throws Exception {
        Map<String, String> variables = Map.of(
                "POSTHORN_DATABASE_URL", server.jdbcUrl(database),
                "POSTHORN_DATABASE_USER", server.user(),
                "POSTHORN_DATABASE_PASSWORD", server.password());
        HubProcess hub = started(program(jvmOptions, variables), program -> program.awaitLine(LISTENS));
        try {
            hub.awaitReady();
            return hub;
        } catch (Exception e) {
            hub.close();
            throw e;
        }
    }

    /**
     * On a PostgreSQL of its own; returns when it listens.
     *
     * @param data new or that of a hub that has ended
     * @param log where it writes what it has to say
     */
    public static HubProcess onItsOwn(Path data, Path log, List<String> jvmOptions) throws Exception {
        ChildProgram program = program(jvmOptions, Map.of(), "--data", data.toString());
        return started(program, each -> each.awaitLine(LISTENS, log, LONGEST_START));
    }

    private static ChildProgram program(List<String> jvmOptions, Map<String, String> variables, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("--http-port", "0", "--grpc-port", "0", "--set", "logging.level.dev.posthorn=warn"));
        arguments.addAll(List.of(more));
        List<String> options = new ArrayList<>(List.of("@" + usualOptions()));
        options.addAll(jvmOptions);
        return ChildProgram.start(Serve.class, options, variables, arguments);
    }

    /** What a hub's JVM is started with by {@code ./posthorn serve}, beside what it was built to. */
    private static Path usualOptions() throws IOException {
        try {
            Path built = Path.of(Serve.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return built.resolveSibling("../jvm.options").toRealPath();
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    private interface Greeting {
        String of(ChildProgram program) throws Exception;
    }

    private static HubProcess started(ChildProgram program, Greeting greeting) throws Exception {
        try {
            return new HubProcess(program, greeting.of(program));
        } catch (Exception e) {
            program.close();
            throw e;
        }
    }

    /** It listens before its database is ready, and turns calls away until then. */
    public void awaitReady() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest question = HttpRequest.newBuilder(URI.create(rest + "/actuator/health/readiness"))
                .build();
        Patience.until(
                LOOK,
                () -> "The hub is not ready",
                () -> client.send(question, BodyHandlers.discarding()).statusCode() == OK);
    }

    /** Where REST is, with its scheme. */
    public String rest() {
        return rest;
    }

    /** Where gRPC is: host and port. */
    public String grpc() {
        return grpc;
    }

    /** CPU time that it has used so far, in microseconds. */
    public double cpuMicros() {
        return program.cpuTime().toNanos() / 1e3;
    }

    public long pid() {
        return program.pid();
    }

    /** Asks it to end in order, and tells whether it did. */
    public boolean stop(Duration longest) throws InterruptedException {
        return program.stop(longest);
    }

    @Override
    public void close() {
        program.close();
    }
}
