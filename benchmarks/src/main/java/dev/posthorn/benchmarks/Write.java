package dev.posthorn.benchmarks;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What recording costs the application: its transactions per second with our log and with a table of its own. */
@Command(
        name = "write",
        mixinStandardHelpOptions = true,
        description = "Transactions/s of a business row and its events, against a plain INSERT of the same columns.")
final class Write implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Option(names = "--connections", description = "Writers at once (${DEFAULT-VALUE}).")
    private int connections = 8;

    @Option(names = "--seconds", description = "Length of a round (${DEFAULT-VALUE}).")
    private int seconds = 3;

    @Option(names = "--rounds", description = "Rounds of each side, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 9;

    @Option(names = "--events", description = "Events of a transaction (${DEFAULT-VALUE}).")
    private int events = 1;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        try (Server server = Server.start()) {
            Form form = measure(server);
            Map<String, Object> figures = new LinkedHashMap<>(form.figures());
            figures.put("eventsPerTransaction", events);
            figures.put("connections", connections);
            output.result(
                    new Result("write", form.ratio(), figures),
                    "%d event%s per transaction: %,.0f tx/s, plain %,.0f tx/s, ratio %.3f",
                    events,
                    events == 1 ? "" : "s",
                    Figures.median(form.ours),
                    Figures.median(form.plain),
                    form.ratio());
        }
        return 0;
    }

    /** Rates of the rounds of both sides, in transactions per second. */
    private record Form(List<Double> ours, List<Double> plain) {

        double ratio() {
            return Figures.median(ours) / Figures.median(plain);
        }

        Map<String, Object> figures() {
            return Map.of(
                    "oursPerSecond",
                    Figures.median(ours),
                    "plainPerSecond",
                    Figures.median(plain),
                    "oursRounds",
                    ours,
                    "plainRounds",
                    plain);
        }
    }

    private Form measure(Server server) throws SQLException, InterruptedException {
        Form form = new Form(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i <= output.size(rounds, 1); i++) {
            // Each side begins every second round: whoever comes second finds the machine in another state.
            double first = round(server, i % 2 == 0);
            double second = round(server, i % 2 != 0);
            double ours = i % 2 == 0 ? first : second;
            double plain = i % 2 == 0 ? second : first;
            output.progress("%s: ours %,.0f tx/s, plain %,.0f tx/s", i == 0 ? "warm-up" : "round " + i, ours, plain);
            if (i > 0) {
                form.ours.add(ours);
                form.plain.add(plain);
            }
        }
        return form;
    }

    private double round(Server server, boolean ours) throws SQLException, InterruptedException {
        Database database = server.create("write");
        try {
            database.execute(PlainTable.CREATE);
            database.execute(BUSINESS_TABLE);
            database.dataSource().setReWriteBatchedInserts(true);
            database.comeToRest();
            return transactionsPerSecond(database, ours ? new OurRecording() : new PlainTable());
        } finally {
            server.drop("write");
        }
    }

    private static final String BUSINESS_TABLE = """
            CREATE TABLE shop_order (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text NOT NULL,
                                     amount numeric NOT NULL, created_at timestamptz NOT NULL DEFAULT now())
            """;

    private static final String BUSINESS_ROW = "INSERT INTO shop_order (customer, amount) VALUES (?, ?)";

    /** How a transaction's events are written. */
    interface Recording {
        void write(Connection connection, List<Event> events) throws SQLException;
    }

    private static final class OurRecording implements Recording {
        private final Outbox outbox = Outbox.create();

        @Override
        public void write(Connection connection, List<Event> events) {
            if (events.size() == 1) {
                outbox.record(connection, events.get(0));
            } else {
                outbox.record(connection, events);
            }
        }
    }

    private double transactionsPerSecond(Database database, Recording recording)
            throws SQLException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        List<Connection> open = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                open.add(database.transaction());
            }
            long started = System.nanoTime();
            long end = started + output.size(seconds * 1000, 300) * 1_000_000L;
            List<Callable<Long>> writers = new ArrayList<>();
            for (Connection connection : open) {
                SampleEvents samples = new SampleEvents(writers.size(), size, 5000);
                writers.add(() -> writeUntil(end, connection, recording, samples));
            }
            long sum = 0;
            for (Future<Long> count : threads.invokeAll(writers)) {
                sum += count.get();
            }
            return sum / Figures.secondsSince(started);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A writer failed: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
            for (Connection connection : open) {
                connection.close();
            }
        }
    }

    private long writeUntil(long end, Connection connection, Recording recording, SampleEvents samples)
            throws SQLException {
        long count = 0;
        try (PreparedStatement business = connection.prepareStatement(BUSINESS_ROW)) {
            while (System.nanoTime() < end) {
                List<Event> batch = new ArrayList<>();
                for (int i = 0; i < events; i++) {
                    batch.add(samples.next());
                }
                business.setString(1, "customer-" + count % 1000);
                business.setLong(2, count);
                business.executeUpdate();
                recording.write(connection, batch);
                connection.commit();
                count++;
            }
        }
        return count;
    }
}
