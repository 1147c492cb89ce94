package dev.posthorn.benchmarks.hub;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Parallel;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.HubProcess;
import dev.posthorn.benchmarks.testbed.Server;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast the hub takes events over the network, against INSERTs of the same rows without a hub. */
@Command(
        name = "ingest",
        description = "Events/s into a hub by REST batch and by gRPC stream, against a bare JDBC batch insert.")
public final class Ingest extends Benchmark {

    private static final String DATABASE = "ingest";
    private static final String LOG = "posthorn.event";
    private static final int KEYS = 5_000;

    /** Of a machine with other work the hub's CPU time tells more than the rate. */
    private static final String HUB_CPU = "hubCpuMicrosPerEvent";

    @Mixin
    private final Rounds rounds = new Rounds(7, 6);

    @Option(names = "--events", description = "Events of a turn (${DEFAULT-VALUE}).")
    private int events = 100_000;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--connections", description = "Connections of each side, each with one sender (${DEFAULT-VALUE}).")
    private int connections = 4;

    @Option(names = "--batch-size", description = "Events of a request and of a bare commit (${DEFAULT-VALUE}).")
    private int batchSize = 1_000;

    @Option(
            names = "--hub-option",
            paramLabel = "OPTION",
            description = "An option of the hub's JVM, such as -Xmx1g; may be repeated.")
    private List<String> hubOptions = new ArrayList<>();

    /** Makes ready to publish, before the clock starts. */
    private interface Opening {
        Publishing open(List<NewEvents> samples) throws SQLException;
    }

    @Override
    protected void measure() throws Exception {
        events = output.size(events, 4_000);
        batchSize = output.size(batchSize, 500);
        try (Server server = Server.start()) {
            Database database = server.create(DATABASE);
            database.dataSource().setReWriteBatchedInserts(true);
            try (HubProcess hub = HubProcess.start(server, DATABASE, hubOptions)) {
                database.execute(BareInsert.CREATE);
                Comparison comparison = new Comparison("ingest", output, rounds);
                Side bare = comparison.side(
                        "bare",
                        round -> turn(
                                database, hub, "bare_event", samples -> new BareInsert(database, batchSize, samples)));
                Side rest = comparison.side(
                        "rest",
                        round -> turn(database, hub, LOG, samples -> new RestBatches(hub.rest(), batchSize, samples)));
                Side grpc = comparison.side(
                        "grpc", round -> turn(database, hub, LOG, samples -> new GrpcStreams(hub.grpc(), samples)));
                comparison.run();
                report(bare, rest, grpc);
            }
        }
    }

    private Turn turn(Database database, HubProcess hub, String table, Opening opening)
            throws SQLException, InterruptedException {
        // All begin with empty tables, whatever came before.
        database.execute("TRUNCATE posthorn.event, posthorn.inbox_entry, bare_event");
        database.comeToRest();
        List<NewEvents> samples = IntStream.range(0, connections)
                .mapToObj(i -> new NewEvents(i, size, KEYS))
                .toList();
        try (Publishing publishing = opening.open(samples)) {
            double before = hub.cpuMicros();
            Turn turn = publish(publishing);
            double hubMicros = (hub.cpuMicros() - before) / (connections * perConnection());
            requireAll(database, table);
            return turn.and(HUB_CPU, hubMicros);
        }
    }

    private Turn publish(Publishing publishing) throws InterruptedException {
        List<Callable<@Nullable Void>> senders = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            int connection = i;
            senders.add(() -> {
                publishing.publish(connection, perConnection());
                return null;
            });
        }
        Stopwatch watch = new Stopwatch();
        Parallel.run(senders);
        return watch.perSecond((long) connections * perConnection());
    }

    private int perConnection() {
        return Math.max(1, events / connections);
    }

    /** A rate of events that are not there would be worth nothing. */
    private void requireAll(Database database, String table) throws SQLException {
        long rows = database.number("SELECT count(*) FROM " + table);
        if (rows != (long) connections * perConnection()) {
            throw new IllegalStateException(
                    "%d rows are in %s of %d events".formatted(rows, table, connections * perConnection()));
        }
    }

    private void report(Side bare, Side rest, Side grpc) throws IOException {
        Figures figures = new Figures()
                .put("restRatio", rest.ratio(bare))
                .put("grpcRatio", grpc.ratio(bare))
                .rates(rest, grpc, bare)
                .put("restHubCpuMicrosPerEvent", rest.median(HUB_CPU))
                .put("grpcHubCpuMicrosPerEvent", grpc.median(HUB_CPU))
                .put("events", events)
                .put("payloadBytes", size)
                .put("connections", connections)
                .put("batchSize", batchSize);
        output.result(
                "ingest",
                Math.min(rest.ratio(bare), grpc.ratio(bare)),
                figures,
                "bare %,.0f events/s, REST %s, gRPC %s",
                bare.perSecond(),
                text(rest, bare),
                text(grpc, bare));
    }

    private static String text(Side side, Side bare) {
        return String.format(
                Locale.ROOT,
                "%,.0f (%.3f, %.1f µs of the hub's CPU)",
                side.perSecond(),
                side.ratio(bare),
                side.median(HUB_CPU));
    }
}
