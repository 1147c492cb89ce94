package dev.posthorn.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast the hub takes events over the network, against INSERTs of the same rows without a hub. */
@Command(
        name = "ingest",
        mixinStandardHelpOptions = true,
        description = "Events/s into a hub by REST batch and by gRPC stream, against a bare JDBC batch insert.")
final class Ingest implements Callable<Integer> {

    private static final String DATABASE = "ingest";
    private static final int KEYS = 5_000;

    @Mixin
    private final Output output = new Output();

    @Option(names = "--events", description = "Events of a turn (${DEFAULT-VALUE}).")
    private int events = 100_000;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--connections", description = "Connections of each side, each with one sender (${DEFAULT-VALUE}).")
    private int connections = 4;

    @Option(names = "--batch-size", description = "Events of a request and of a bare commit (${DEFAULT-VALUE}).")
    private int batchSize = 1_000;

    @Option(names = "--rounds", description = "Rounds, of which the medians count (${DEFAULT-VALUE}).")
    private int rounds = 7;

    @Option(names = "--warm-ups", description = "Rounds before (${DEFAULT-VALUE}).")
    private int warmUps = 6;

    @Option(
            names = "--hub-option",
            paramLabel = "OPTION",
            description = "An option of the hub's JVM, such as -Xmx1g; may be repeated.")
    private List<String> hubOptions = new ArrayList<>();

    /** The ways in, in the order of the first round. */
    private enum Way {
        BARE,
        REST,
        GRPC
    }

    /**
     * What one turn came to.
     *
     * @param rate events per second
     * @param hubMicros CPU time of the hub for an event; of a machine with other work this tells more than the rate
     */
    private record Turn(double rate, double hubMicros) {}

    /** The turns of each way. */
    private static final class Turns {

        private final Map<Way, List<Turn>> turns = new EnumMap<>(Way.class);

        void add(Way way, Turn turn) {
            of(way).add(turn);
        }

        void addAll(Turns more) {
            more.turns.forEach((way, all) -> of(way).addAll(all));
        }

        private List<Turn> of(Way way) {
            return turns.computeIfAbsent(way, none -> new ArrayList<>());
        }

        List<Double> rates(Way way) {
            return of(way).stream().map(Turn::rate).toList();
        }

        double rate(Way way) {
            return Figures.median(rates(way));
        }

        double ratio(Way way) {
            return rate(way) / rate(Way.BARE);
        }

        double hubMicros(Way way) {
            return Figures.median(of(way).stream().map(Turn::hubMicros).toList());
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "bare %,.0f events/s, ", rate(Way.BARE)) + "REST " + text(Way.REST)
                    + ", gRPC " + text(Way.GRPC);
        }

        private String text(Way way) {
            return String.format(
                    Locale.ROOT, "%,.0f (%.3f, %.1f µs of the hub's CPU)", rate(way), ratio(way), hubMicros(way));
        }
    }

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        events = output.size(events, 4_000);
        batchSize = output.size(batchSize, 500);
        try (Server server = Server.start()) {
            Database database = server.create(DATABASE);
            database.dataSource().setReWriteBatchedInserts(true);
            try (HubProcess hub = HubProcess.start(server, DATABASE, hubOptions)) {
                database.execute(BareInsert.CREATE);
                report(measure(database, hub));
            }
        }
        return 0;
    }

    private Turns measure(Database database, HubProcess hub) throws SQLException, InterruptedException {
        Turns turns = new Turns();
        int before = output.size(warmUps, 0);
        for (int i = 0; i < before + output.size(rounds, 1); i++) {
            Turns round = round(database, hub, i);
            output.progress("%s: %s", i < before ? "warm-up" : "round " + (i - before + 1), round);
            if (i >= before) {
                turns.addAll(round);
            }
        }
        return turns;
    }

    /** Each begins every third round: whoever comes later finds the machine in another state. */
    private Turns round(Database database, HubProcess hub, int number) throws SQLException, InterruptedException {
        Turns round = new Turns();
        Way[] ways = Way.values();
        for (int i = 0; i < ways.length; i++) {
            Way way = ways[(number + i) % ways.length];
            // All begin with empty tables, whatever came before.
            database.execute("TRUNCATE posthorn.event, posthorn.inbox_entry, bare_event");
            database.comeToRest();
            try (Publishing publishing = open(way, database, hub)) {
                double before = hub.cpuMicros();
                double rate = rate(publishing);
                round.add(way, new Turn(rate, (hub.cpuMicros() - before) / (connections * perConnection())));
            }
            requireAll(database, way);
        }
        return round;
    }

    private Publishing open(Way way, Database database, HubProcess hub) throws SQLException {
        List<NewEvents> samples = IntStream.range(0, connections)
                .mapToObj(i -> new NewEvents(i, size, KEYS))
                .toList();
        return switch (way) {
            case BARE -> new BareInsert(database, batchSize, samples);
            case REST -> new RestBatches(hub.rest(), batchSize, samples);
            case GRPC -> new GrpcStreams(hub.grpc(), samples);
        };
    }

    private double rate(Publishing publishing) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            List<Callable<Void>> senders = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                int connection = i;
                senders.add(() -> {
                    publishing.publish(connection, perConnection());
                    return null;
                });
            }
            long started = System.nanoTime();
            for (Future<Void> sender : threads.invokeAll(senders)) {
                sender.get();
            }
            return connections * perConnection() / Figures.secondsSince(started);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A sender failed: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
        }
    }

    private int perConnection() {
        return Math.max(1, events / connections);
    }

    /** A rate of events that are not there would be worth nothing. */
    private void requireAll(Database database, Way way) throws SQLException {
        String table = way == Way.BARE ? "bare_event" : "posthorn.event";
        long rows = database.number("SELECT count(*) FROM " + table);
        if (rows != (long) connections * perConnection()) {
            throw new IllegalStateException(
                    "%s left %d rows in %s of %d events".formatted(way, rows, table, connections * perConnection()));
        }
    }

    private void report(Turns turns) throws IOException {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("restRatio", turns.ratio(Way.REST));
        figures.put("grpcRatio", turns.ratio(Way.GRPC));
        figures.put("restPerSecond", turns.rate(Way.REST));
        figures.put("grpcPerSecond", turns.rate(Way.GRPC));
        figures.put("barePerSecond", turns.rate(Way.BARE));
        figures.put("restRounds", turns.rates(Way.REST));
        figures.put("grpcRounds", turns.rates(Way.GRPC));
        figures.put("bareRounds", turns.rates(Way.BARE));
        figures.put("restHubCpuMicrosPerEvent", turns.hubMicros(Way.REST));
        figures.put("grpcHubCpuMicrosPerEvent", turns.hubMicros(Way.GRPC));
        figures.put("events", events);
        figures.put("payloadBytes", size);
        figures.put("connections", connections);
        figures.put("batchSize", batchSize);
        double ratio = Math.min(turns.ratio(Way.REST), turns.ratio(Way.GRPC));
        output.result(new Result("ingest", ratio, figures), "%s", turns);
    }
}
