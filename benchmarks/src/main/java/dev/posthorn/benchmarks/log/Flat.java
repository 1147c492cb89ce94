package dev.posthorn.benchmarks.log;

import dev.posthorn.Outbox;
import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.NullSink;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.benchmarks.testbed.ServerCost;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether a relay's cost depends on what lies in the log, on who else is connected, and on how many subscribe. */
@Command(
        name = "flat",
        description = "Drain with a long history in the log, and with others' open transactions, against an empty log;"
                + " then what an event costs the server with one and with ten subscriptions.")
public final class Flat extends Benchmark {

    private static final int MANY = 10;

    @Mixin
    private final Rounds rounds = new Rounds(5, 1);

    @Option(names = "--history", description = "Delivered events in the log (${DEFAULT-VALUE}).")
    private int history = 5_000_000;

    @Option(names = "--events", description = "Events to drain (${DEFAULT-VALUE}).")
    private int events = 300_000;

    @Option(names = "--batch-size", description = "Events of one read (${DEFAULT-VALUE}).")
    private int batchSize = 1000;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    protected void measure() throws Exception {
        history = output.size(history, 20_000);
        events = output.size(events, 5000);
        Forms forms;
        try (Server server = Server.start()) {
            forms = measureForms(server);
        }
        Cost one;
        Cost ten;
        // On a server of their own: what a large load has left for its background processes is not to be counted.
        try (Server server = Server.start()) {
            cost(server, "warm_up", 1);
            one = cost(server, "one", 1);
            ten = cost(server, "ten", MANY);
        }
        report(forms, one, ten);
    }

    private void report(Forms forms, Cost one, Cost ten) throws IOException {
        Figures figures = new Figures()
                .put("historyRatio", forms.historyRatio())
                .put("openTransactionsRatio", forms.openRatio())
                .rates(forms.empty, forms.history, forms.emptyBesideOpen, forms.open)
                .put("historyEvents", history)
                .put("rowsWrittenPerEvent", ten.rowsPerEvent())
                .put("walBytesPerEvent", ten.walPerDelivery())
                .put("serverCpuMicrosPerEvent", ten.cpuPerDelivery())
                .put("oneSubscription", one.figures())
                .put("tenSubscriptions", ten.figures());
        output.result(
                "flat",
                Math.min(forms.historyRatio(), forms.openRatio()),
                figures,
                "empty log %,.0f events/s, with %,d delivered events %,.0f (ratio %.3f), with open transactions too"
                        + " %,.0f against %,.0f (ratio %.3f); %s (one subscription: %s)",
                forms.empty.perSecond(),
                history,
                forms.history.perSecond(),
                forms.historyRatio(),
                forms.open.perSecond(),
                forms.emptyBesideOpen.perSecond(),
                forms.openRatio(),
                ten,
                one);
    }

    /** With a long history and with others' open transactions, each beside an empty log. */
    private record Forms(Side empty, Side history, Side emptyBesideOpen, Side open) {

        double historyRatio() {
            return history.ratio(empty);
        }

        double openRatio() {
            return open.ratio(emptyBesideOpen);
        }
    }

    private Forms measureForms(Server server) throws Exception {
        Database empty = server.create("empty");
        Database full = server.create("history");
        full.makeUpHistory(history, output);
        SampleEvents samples = new SampleEvents(1, 500, 5000);
        Comparison before = new Comparison("flat", output, rounds);
        Comparison beside = new Comparison("flat", output, rounds);
        load(empty, "first", before.rounds() + beside.rounds(), samples);
        load(full, "first", before.rounds(), samples);
        Forms forms = new Forms(
                before.side("empty", round -> turn(empty, "first", round)),
                before.side("history", round -> turn(full, "first", round)),
                beside.side("emptyBesideOpenTransactions", round -> turn(empty, "first", before.rounds() + round)),
                beside.side("openTransactions", round -> turn(full, "second", round)));
        before.run();
        try (Connection reader = full.transaction();
                Connection writer = full.transaction()) {
            hold(reader);
            Outbox.create().record(writer, samples.next());
            // Recorded beside the open ones, so that their snapshots matter to every row and to every version of a
            // mark.
            load(full, "second", beside.rounds(), samples);
            beside.run();
        }
        return forms;
    }

    private static void hold(Connection reader) throws SQLException {
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = reader.createStatement()) {
            statement.execute("SELECT count(*) FROM posthorn.lane_mark");
        }
    }

    /** Subscriptions that begin here, one for each round, and then the events that each of them is to get. */
    private void load(Database database, String group, int count, SampleEvents samples) throws SQLException {
        Draining.register(database, subscriptions(group, count));
        database.recordBacklog(events, samples::next, output);
    }

    private Turn turn(Database database, String group, int round) {
        return Draining.drain(database, List.of(subscription(group + "-" + round)), 1, events);
    }

    private List<Subscription> subscriptions(String group, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> subscription(group + "-" + i))
                .toList();
    }

    private Subscription subscription(String name) {
        return Subscription.to(name, new NullSink())
                .lanes(1)
                .batchSize(batchSize)
                .inFlightLimit(inFlight)
                .build();
    }

    /** What recording and then relaying so many events cost the server. */
    private record Cost(int events, int subscriptions, ServerCost recording, ServerCost relaying) {

        double rowsPerEvent() {
            return (double) (recording.rowsWritten() + relaying.rowsWritten()) / events;
        }

        double walPerDelivery() {
            return (double) relaying.walBytes() / events / subscriptions;
        }

        double cpuPerDelivery() {
            return relaying.cpuMicros() / events / subscriptions;
        }

        Figures figures() {
            return new Figures()
                    .put("rowsWrittenPerEvent", rowsPerEvent())
                    .put("walBytesPerDelivery", walPerDelivery())
                    .put("serverCpuMicrosPerDelivery", cpuPerDelivery())
                    .put("recordingWalBytesPerEvent", (double) recording.walBytes() / events)
                    .put("recordingServerCpuMicrosPerEvent", recording.cpuMicros() / events);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "rows written per event %.4f with %d subscriptions, relaying costs %.1f B of WAL and %.2f us of"
                            + " server CPU per delivery",
                    rowsPerEvent(),
                    subscriptions,
                    walPerDelivery(),
                    cpuPerDelivery());
        }
    }

    private Cost cost(Server server, String name, int count) throws SQLException, IOException, InterruptedException {
        Database database = server.create(name);
        List<Subscription> subscriptions = subscriptions("subscription", count);
        Draining.register(database, subscriptions);
        database.comeToRest();
        ServerCost start = ServerCost.now(server, database);
        database.record(events, new SampleEvents(2, 500, 5000)::next);
        ServerCost recorded = ServerCost.now(server, database);
        Draining.drain(database, subscriptions, 2, (long) events * count);
        ServerCost relayed = ServerCost.now(server, database);
        Cost cost = new Cost(events, count, recorded.since(start), relayed.since(recorded));
        output.progress("%s", cost);
        return cost;
    }
}
