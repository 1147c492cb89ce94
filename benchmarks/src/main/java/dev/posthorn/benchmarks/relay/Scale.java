package dev.posthorn.benchmarks.relay;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.ChildProgram;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Whether more relay processes deliver more, where it is the receiver's latency that limits one. */
@Command(
        name = "scale",
        description = "Deliveries/s of 1, 2 and 4 relay processes to a receiver that takes 20 ms for each.")
public final class Scale extends Benchmark {

    private static final int[] PROCESSES = {1, 2, 4};

    /** Four JVMs on few cores: small heaps and no compiler threads that compete with what is measured. */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private static final String BALANCED = """
            SELECT (count(*) = ? AND min(owned) >= ? AND sum(owned) = ?)::int FROM (
                SELECT session_id, count(*) AS owned FROM posthorn.lane_owner l
                  JOIN posthorn.lane ON lane.id = l.lane_id JOIN posthorn.subscription s ON s.id = lane.subscription_id
                 WHERE s.name = ? AND session_id IS NOT NULL GROUP BY session_id) shares
            """;

    private static final Duration LOOK = Duration.ofMillis(50);

    @Option(names = "--latency-ms", description = "What the receiver takes for an answer (${DEFAULT-VALUE}).")
    private int latencyMillis = 20;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 16;

    @Option(names = "--in-flight", description = "In-flight limit of one process (${DEFAULT-VALUE}).")
    private int inFlight = 64;

    @Option(names = "--workers", description = "Threads with a connection in one process (${DEFAULT-VALUE}).")
    private int workers = 2;

    @Option(names = "--backlog", description = "Events in the log (${DEFAULT-VALUE}).")
    private int backlog = 400_000;

    @Option(names = "--seconds", description = "How long to measure (${DEFAULT-VALUE}).")
    private int seconds = 10;

    @Override
    protected void measure() throws Exception {
        try (Server server = Server.start();
                SlowReceiver receiver = new SlowReceiver(TimeUnit.MILLISECONDS.toNanos(latencyMillis))) {
            Database database = server.create("scale");
            database.recordBacklog(output.size(backlog, 20_000), new SampleEvents(1, 200, 50_000)::next, output);
            Comparison comparison = new Comparison("scale", output, new Rounds(1, 0));
            Map<Integer, List<Double>> rates = new LinkedHashMap<>();
            List<Side> sides = new ArrayList<>();
            for (int processes : PROCESSES) {
                sides.add(comparison.side("of" + processes, round -> {
                    List<Double> perProcess = measure(server, database, receiver, processes);
                    rates.put(processes, perProcess);
                    return Turn.perSecond(
                            perProcess.stream().mapToDouble(Double::doubleValue).sum());
                }));
            }
            comparison.run();
            report(sides, List.copyOf(rates.values()));
        }
    }

    private void report(List<Side> sides, List<List<Double>> perProcess) throws IOException {
        Side one = sides.get(0);
        double two = sides.get(1).ratio(one);
        double four = sides.get(2).ratio(one);
        Figures figures = new Figures().put("twoProcesses", two).put("fourProcesses", four);
        for (int i = 0; i < PROCESSES.length; i++) {
            figures.put(
                    sides.get(i).name(),
                    new Figures()
                            .put("deliveriesPerSecond", sides.get(i).perSecond())
                            .put("perProcess", perProcess.get(i)));
        }
        figures.put("lanes", lanes).put("inFlightLimit", inFlight).put("latencyMillis", latencyMillis);
        output.result(
                "scale",
                four / PROCESSES[2],
                figures,
                "1 process %,.0f deliveries/s (%d in flight at %d ms allow %,.0f), 2 processes %,.0f (%.2f times), 4"
                        + " processes %,.0f (%.2f times, %,.0f per process)",
                one.perSecond(),
                inFlight,
                latencyMillis,
                inFlight * 1000.0 / latencyMillis,
                sides.get(1).perSecond(),
                two,
                sides.get(2).perSecond(),
                four,
                sides.get(2).perSecond() / PROCESSES[2]);
    }

    /** Deliveries per second of each process. */
    private List<Double> measure(Server server, Database database, SlowReceiver receiver, int processes)
            throws Exception {
        receiver.reset();
        String subscription = "scale-" + processes;
        List<ChildProgram> relays = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                relays.add(start(server, receiver, subscription));
            }
            for (ChildProgram relay : relays) {
                relay.awaitLine("ready ");
            }
            awaitBalance(database, subscription, processes);
            TimeUnit.MILLISECONDS.sleep(output.size(3000, 300));
            return rates(receiver);
        } finally {
            relays.forEach(ChildProgram::close);
        }
    }

    private ChildProgram start(Server server, SlowReceiver receiver, String subscription) throws IOException {
        return ChildProgram.start(
                ScaleRelay.class,
                JVM_OPTIONS,
                Map.of(ScaleRelay.PASSWORD, server.password()),
                List.of(
                        server.jdbcUrl("scale"),
                        server.user(),
                        Integer.toString(receiver.port()),
                        subscription,
                        Integer.toString(lanes),
                        Integer.toString(inFlight),
                        Integer.toString(workers)));
    }

    /** The first process has all lanes until the others have come and it has given up their shares. */
    private void awaitBalance(Database database, String subscription, int processes) throws Exception {
        Patience.until(
                LOOK,
                () -> processes + " processes do not share the lanes evenly",
                () -> database.number(BALANCED, processes, lanes / processes, lanes, subscription) == 1);
    }

    private List<Double> rates(SlowReceiver receiver) throws InterruptedException {
        List<Long> before = receiver.answered();
        Stopwatch watch = new Stopwatch();
        TimeUnit.MILLISECONDS.sleep(output.size(seconds * 1000, 500));
        List<Long> after = receiver.answered();
        double elapsed = watch.seconds();
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < after.size(); i++) {
            rates.add((after.get(i) - before.get(i)) / elapsed);
        }
        return rates;
    }
}
