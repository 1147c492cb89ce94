package dev.posthorn.benchmarks.hub;

import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.testbed.ChildProgram;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.server.Serve;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The hub in a process of its own, started as people start it, on a database of the benchmark's server. */
final class HubProcess implements AutoCloseable {

    private static final String GRPC = ", gRPC on ";
    private static final Duration LOOK = Duration.ofMillis(50);
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

    static HubProcess start(Server server, String database, List<String> jvmOptions) throws Exception {
        ChildProgram program = ChildProgram.start(
                Serve.class,
                jvmOptions,
                Map.of(
                        "POSTHORN_DATABASE_URL", server.jdbcUrl(database),
                        "POSTHORN_DATABASE_USER", server.user(),
                        "POSTHORN_DATABASE_PASSWORD", server.password()),
                List.of("--http-port", "0", "--grpc-port", "0", "--set", "logging.level.dev.posthorn=warn"));
        try {
            HubProcess hub = new HubProcess(program, program.awaitLine("Posthorn listens: REST on "));
            hub.awaitReady();
            return hub;
        } catch (Exception e) {
            program.close();
            throw e;
        }
    }

    /** It listens before its database is ready, and turns calls away until then. */
    private void awaitReady() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest question = HttpRequest.newBuilder(URI.create(rest + "/actuator/health/readiness"))
                .build();
        Patience.until(
                LOOK,
                () -> "The hub is not ready",
                () -> client.send(question, BodyHandlers.discarding()).statusCode() == OK);
    }

    /** Where REST is, with its scheme. */
    String rest() {
        return rest;
    }

    /** Where gRPC is: host and port. */
    String grpc() {
        return grpc;
    }

    /** CPU time that it has used so far, in microseconds. */
    double cpuMicros() {
        return program.cpuTime().toNanos() / 1e3;
    }

    @Override
    public void close() {
        program.close();
    }
}
