package dev.posthorn.benchmarks;

import dev.posthorn.Outbox;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether a relay's cost depends on what lies in the log, on who else is connected, and on how many subscribe. */
@Command(
        name = "flat",
        mixinStandardHelpOptions = true,
        description = "Drain with a long history in the log, and with others' open transactions, against an empty log;"
                + " then what an event costs the server with one and with ten subscriptions.")
final class Flat implements Callable<Integer> {

    private static final int MANY = 10;

    @Mixin
    private final Output output = new Output();

    @Option(names = "--history", description = "Delivered events in the log (${DEFAULT-VALUE}).")
    private int history = 5_000_000;

    @Option(names = "--events", description = "Events to drain (${DEFAULT-VALUE}).")
    private int events = 300_000;

    @Option(names = "--rounds", description = "Rounds of each form, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--batch-size", description = "Events of one read (${DEFAULT-VALUE}).")
    private int batchSize = 1000;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        history = output.size(history, 20_000);
        events = output.size(events, 5000);
        rounds = output.size(rounds, 1);
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
        return 0;
    }

    private void report(Forms forms, Cost one, Cost ten) throws IOException {
        Map<String, Object> figures = new LinkedHashMap<>(forms.figures());
        figures.put("historyEvents", history);
        figures.put("rowsWrittenPerEvent", ten.rowsPerEvent());
        figures.put("walBytesPerEvent", ten.walPerDelivery());
        figures.put("serverCpuMicrosPerEvent", ten.cpuPerDelivery());
        figures.put("oneSubscription", one.figures());
        figures.put("tenSubscriptions", ten.figures());
        output.result(
                new Result("flat", forms.ratio(), figures),
                "empty log %,.0f events/s, with %,d delivered events %,.0f (ratio %.3f), with open transactions too"
                        + " %,.0f against %,.0f (ratio %.3f); rows written per event %.4f with %d subscriptions, relaying"
                        + " costs %.1f B of WAL and %.2f us of server CPU per delivery (one subscription: %.4f, %.1f B,"
                        + " %.2f us)",
                Figures.median(forms.empty),
                history,
                Figures.median(forms.full),
                forms.historyRatio(),
                Figures.median(forms.held),
                Figures.median(forms.emptyBesideHeld),
                forms.heldRatio(),
                ten.rowsPerEvent(),
                MANY,
                ten.walPerDelivery(),
                ten.cpuPerDelivery(),
                one.rowsPerEvent(),
                one.walPerDelivery(),
                one.cpuPerDelivery());
    }

    /** Rates in events per second: each form beside rounds on an empty log in turn. */
    private record Forms(List<Double> empty, List<Double> full, List<Double> emptyBesideHeld, List<Double> held) {

        Forms() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        double historyRatio() {
            return Figures.median(full) / Figures.median(empty);
        }

        double heldRatio() {
            return Figures.median(held) / Figures.median(emptyBesideHeld);
        }

        double ratio() {
            return Math.min(historyRatio(), heldRatio());
        }

        Map<String, Object> figures() {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("historyRatio", historyRatio());
            figures.put("openTransactionsRatio", heldRatio());
            figures.put("emptyPerSecond", Figures.median(empty));
            figures.put("historyPerSecond", Figures.median(full));
            figures.put("openTransactionsPerSecond", Figures.median(held));
            figures.put("emptyRounds", empty);
            figures.put("historyRounds", full);
            figures.put("emptyBesideOpenTransactionsRounds", emptyBesideHeld);
            figures.put("openTransactionsRounds", held);
            return figures;
        }
    }

    private Forms measureForms(Server server) throws SQLException {
        Database empty = server.create("empty");
        Database full = server.create("history");
        full.makeUpHistory(history, output);
        SampleEvents samples = new SampleEvents(1, 500, 5000);
        load(empty, "first", 2 * rounds + 2, samples);
        load(full, "first", rounds + 1, samples);

        Forms forms = new Forms();
        for (int i = 0; i <= rounds; i++) {
            measure(i, "history", empty, i, forms.empty, full, "first", forms.full);
        }
        try (Connection reader = full.transaction();
                Connection writer = full.transaction()) {
            hold(reader);
            Outbox.create().record(writer, samples.next());
            // Recorded beside the open ones, so that their snapshots matter to every row and to every version of a
            // mark.
            load(full, "second", rounds + 1, samples);
            for (int i = 0; i <= rounds; i++) {
                int emptyRound = rounds + 1 + i;
                measure(i, "open transactions", empty, emptyRound, forms.emptyBesideHeld, full, "second", forms.held);
            }
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
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            subscriptions.add(subscription(group + "-" + i));
        }
        Draining.register(database.dataSource(), subscriptions);
        database.record(events, samples);
        database.comeToRest();
    }

    private void measure(
            int round,
            String name,
            Database empty,
            int emptyRound,
            List<Double> emptyRates,
            Database full,
            String group,
            List<Double> fullRates) {
        boolean emptyFirst = round % 2 == 0;
        double first = emptyFirst ? rate(empty, "first", emptyRound) : rate(full, group, round);
        double second = emptyFirst ? rate(full, group, round) : rate(empty, "first", emptyRound);
        double emptyRate = emptyFirst ? first : second;
        double fullRate = emptyFirst ? second : first;
        output.progress(
                "%s %s: %,.0f events/s, empty log %,.0f",
                name, round == 0 ? "warm-up" : "round " + round, fullRate, emptyRate);
        if (round > 0) {
            emptyRates.add(emptyRate);
            fullRates.add(fullRate);
        }
    }

    private double rate(Database database, String group, int round) {
        List<Subscription> one = List.of(subscription(group + "-" + round));
        return events / Draining.seconds(database.dataSource(), one, 1, events);
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

        Map<String, Object> figures() {
            return Map.of(
                    "rowsWrittenPerEvent", rowsPerEvent(),
                    "walBytesPerDelivery", walPerDelivery(),
                    "serverCpuMicrosPerDelivery", cpuPerDelivery(),
                    "recordingWalBytesPerEvent", (double) recording.walBytes() / events,
                    "recordingServerCpuMicrosPerEvent", recording.cpuMicros() / events);
        }
    }

    private Cost cost(Server server, String name, int count) throws SQLException, IOException, InterruptedException {
        Database database = server.create(name);
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            subscriptions.add(subscription("subscription-" + i));
        }
        Draining.register(database.dataSource(), subscriptions);
        database.comeToRest();
        ServerCost start = ServerCost.now(server, database);
        database.record(events, new SampleEvents(2, 500, 5000));
        ServerCost recorded = ServerCost.now(server, database);
        Draining.seconds(database.dataSource(), subscriptions, 2, (long) events * count);
        ServerCost relayed = ServerCost.now(server, database);
        Cost cost = new Cost(events, count, recorded.since(start), relayed.since(recorded));
        output.progress(
                "%d subscriptions: %.4f rows written per event, %.1f B of WAL and %.2f us of server CPU per delivery",
                count, cost.rowsPerEvent(), cost.walPerDelivery(), cost.cpuPerDelivery());
        return cost;
    }
}
