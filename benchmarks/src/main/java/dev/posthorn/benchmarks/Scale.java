package dev.posthorn.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether more relay processes deliver more, where it is the receiver's latency that limits one. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = "Deliveries/s of 1, 2 and 4 relay processes to a receiver that takes 20 ms for each.")
final class Scale implements Callable<Integer> {

    private static final int[] PROCESSES = {1, 2, 4};

    /** Four JVMs on few cores: small heaps and no compiler threads that compete with what is measured. */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private static final String BALANCED = """
            SELECT (count(*) = ? AND min(owned) >= ? AND sum(owned) = ?)::int FROM (
                SELECT owner, count(*) AS owned FROM posthorn.lane_lease l
                  JOIN posthorn.lane ON lane.id = l.lane_id JOIN posthorn.subscription s ON s.id = lane.subscription_id
                 WHERE s.name = ? AND owner IS NOT NULL GROUP BY owner) shares
            """;

    private static final double PATIENCE_SECONDS = 60;

    @Mixin
    private final Output output = new Output();

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
    public Integer call() throws IOException, SQLException, InterruptedException {
        try (Server server = Server.start();
                SlowReceiver receiver = new SlowReceiver(TimeUnit.MILLISECONDS.toNanos(latencyMillis))) {
            Database database = server.create("scale");
            output.progress("recording a backlog of %,d events", output.size(backlog, 20_000));
            database.record(output.size(backlog, 20_000), new SampleEvents(1, 200, 50_000));
            database.comeToRest();
            List<List<Double>> rates = new ArrayList<>();
            for (int processes : PROCESSES) {
                rates.add(measure(server, database, receiver, processes));
            }
            report(rates);
        }
        return 0;
    }

    private void report(List<List<Double>> rates) throws IOException {
        List<Double> totals = rates.stream().map(Scale::sum).toList();
        double two = totals.get(1) / totals.get(0);
        double four = totals.get(2) / totals.get(0);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("twoProcesses", two);
        figures.put("fourProcesses", four);
        for (int i = 0; i < PROCESSES.length; i++) {
            String name = "of" + PROCESSES[i];
            figures.put(name, Map.of("deliveriesPerSecond", totals.get(i), "perProcess", rates.get(i)));
        }
        figures.put("lanes", lanes);
        figures.put("inFlightLimit", inFlight);
        figures.put("latencyMillis", latencyMillis);
        output.result(
                new Result("scale", four / PROCESSES[2], figures),
                "1 process %,.0f deliveries/s (%d in flight at %d ms allow %,.0f), 2 processes %,.0f (%.2f times), 4"
                        + " processes %,.0f (%.2f times, %,.0f per process)",
                totals.get(0),
                inFlight,
                latencyMillis,
                inFlight * 1000.0 / latencyMillis,
                totals.get(1),
                two,
                totals.get(2),
                four,
                totals.get(2) / PROCESSES[2]);
    }

    private static double sum(List<Double> rates) {
        return rates.stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Deliveries per second of each process. */
    private List<Double> measure(Server server, Database database, SlowReceiver receiver, int processes)
            throws IOException, SQLException, InterruptedException {
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
            List<Double> rates = rates(receiver);
            output.progress("%d processes: %,.0f deliveries/s, per process %s", processes, sum(rates), rates);
            return rates;
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
    private void awaitBalance(Database database, String subscription, int processes)
            throws SQLException, InterruptedException {
        long started = System.nanoTime();
        while (database.number(BALANCED, processes, lanes / processes, lanes, subscription) == 0) {
            if (Figures.secondsSince(started) > PATIENCE_SECONDS) {
                throw new IllegalStateException(processes + " processes do not share the lanes evenly");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private List<Double> rates(SlowReceiver receiver) throws InterruptedException {
        List<Long> before = receiver.answered();
        long started = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(output.size(seconds * 1000, 500));
        List<Long> after = receiver.answered();
        double elapsed = Figures.secondsSince(started);
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < after.size(); i++) {
            rates.add((after.get(i) - before.get(i)) / elapsed);
        }
        return rates;
    }
}
