package dev.posthorn.benchmarks.log;

import dev.posthorn.Outbox;
import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Parallel;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What recording costs the application: its transactions per second with our log and with a table of its own. */
@Command(
        name = "write",
        description = "Transactions/s of a business row and its events, against a plain INSERT of the same columns.")
public final class Write extends Benchmark {

    @Mixin
    private final Rounds rounds = new Rounds(9, 1);

    @Option(names = "--connections", description = "Writers at once (${DEFAULT-VALUE}).")
    private int connections = 8;

    @Option(names = "--seconds", description = "Length of a round (${DEFAULT-VALUE}).")
    private int seconds = 3;

    @Option(names = "--events", description = "Events of a transaction (${DEFAULT-VALUE}).")
    private int events = 1;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Override
    protected void measure() throws Exception {
        try (Server server = Server.start()) {
            Comparison comparison = new Comparison("write", output, rounds);
            Side ours = comparison.side("ours", round -> turn(server, new OurRecording()));
            Side plain = comparison.side("plain", round -> turn(server, new PlainTable()));
            comparison.run();
            Figures figures = new Figures()
                    .rates(ours, plain)
                    .put("eventsPerTransaction", events)
                    .put("connections", connections);
            output.result(
                    "write",
                    ours.ratio(plain),
                    figures,
                    "%d event%s per transaction: %,.0f tx/s, plain %,.0f tx/s, ratio %.3f",
                    events,
                    events == 1 ? "" : "s",
                    ours.perSecond(),
                    plain.perSecond(),
                    ours.ratio(plain));
        }
    }

    private Turn turn(Server server, Recording recording) throws SQLException, InterruptedException {
        Database database = server.create("write");
        try {
            database.execute(PlainTable.CREATE);
            database.execute(BUSINESS_TABLE);
            database.dataSource().setReWriteBatchedInserts(true);
            database.comeToRest();
            return transactions(database, recording);
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

    private Turn transactions(Database database, Recording recording) throws SQLException, InterruptedException {
        List<Connection> open = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                open.add(database.transaction());
            }
            Stopwatch watch = new Stopwatch();
            long end = System.nanoTime() + output.size(seconds * 1000, 300) * 1_000_000L;
            List<Callable<Long>> writers = new ArrayList<>();
            for (Connection connection : open) {
                SampleEvents samples = new SampleEvents(writers.size(), size, 5000);
                writers.add(() -> writeUntil(end, connection, recording, samples));
            }
            long sum = 0;
            for (long count : Parallel.run(writers)) {
                sum += count;
            }
            return watch.perSecond(sum);
        } finally {
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
