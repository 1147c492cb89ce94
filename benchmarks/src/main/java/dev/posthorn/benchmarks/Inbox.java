package dev.posthorn.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the inbox costs a consumer that writes to its database. */
@Command(
        name = "inbox",
        mixinStandardHelpOptions = true,
        description = "Consumes a topic and writes a row per event, through the inbox against the same without it.")
final class Inbox implements Callable<Integer> {

    private static final int PARTITIONS = 8;
    private static final String TOPIC = "inbox";

    @Mixin
    private final Output output = new Output();

    @Option(names = "--events", description = "Events consumed in batches (${DEFAULT-VALUE}).")
    private int events = 300_000;

    @Option(names = "--singles", description = "Events consumed one by one (${DEFAULT-VALUE}).")
    private int singles = 20_000;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--threads", description = "Threads of the consumer (${DEFAULT-VALUE}).")
    private int threads = 2;

    @Option(names = "--batch-size", description = "Events of a batch at most (${DEFAULT-VALUE}).")
    private int batchSize = 500;

    @Option(names = "--rounds", description = "Rounds of each side, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--warm-ups", description = "Rounds of each side before (${DEFAULT-VALUE}).")
    private int warmUps = 2;

    /** The rates of both sides, round by round. */
    private record Rates(List<Double> with, List<Double> without) {

        double ratio() {
            return Figures.median(with) / Figures.median(without);
        }
    }

    @Override
    public Integer call() throws IOException, SQLException {
        events = output.size(events, 5000);
        singles = output.size(singles, 500);
        try (Server server = Server.start();
                Broker broker = Broker.start()) {
            Database database = server.create("inbox");
            Consuming.prepare(database);
            publish(database, broker);
            try (HikariDataSource pool = pool(database)) {
                Consuming consuming = new Consuming(database, pool, broker.bootstrapServers(), TOPIC, threads);
                Rates batches = measure("batches", consuming, events, batchSize);
                report(batches, measure("single events", consuming, singles, 1));
            }
        }
        return 0;
    }

    private void publish(Database database, Broker broker) throws SQLException {
        output.progress("publishing %,d events", events);
        database.record(events, new SampleEvents(1, size, 5000));
        broker.createTopic(TOPIC, PARTITIONS);
        KafkaSink sink =
                KafkaSink.builder(broker.bootstrapServers()).topic(TOPIC).build();
        Subscription all = Subscription.to("publish", sink).fromBeginning().build();
        Draining.seconds(database.dataSource(), List.of(all), 1, events);
    }

    private HikariDataSource pool(Database database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(threads + 1);
        return new HikariDataSource(config);
    }

    private Rates measure(String what, Consuming consuming, int count, int batch) throws SQLException {
        Rates rates = new Rates(new ArrayList<>(), new ArrayList<>());
        int before = output.size(warmUps, 1);
        for (int i = 0; i < before + output.size(rounds, 1); i++) {
            // Each side begins every second round: whoever comes second finds the machine in another state.
            boolean withFirst = i % 2 == 0;
            double first = consuming.rate(count, batch, withFirst);
            double second = consuming.rate(count, batch, !withFirst);
            double with = withFirst ? first : second;
            double without = withFirst ? second : first;
            output.progress(
                    "%s, %s: with the inbox %,.0f events/s, without %,.0f events/s",
                    what, i < before ? "warm-up" : "round " + (i - before + 1), with, without);
            if (i >= before) {
                rates.with.add(with);
                rates.without.add(without);
            }
        }
        return rates;
    }

    private void report(Rates batches, Rates single) throws IOException {
        Map<String, Object> figures = new LinkedHashMap<>();
        put(figures, "batch", batches);
        put(figures, "single", single);
        figures.put("events", events);
        figures.put("singles", singles);
        figures.put("payloadBytes", size);
        figures.put("threads", threads);
        figures.put("batchSize", batchSize);
        output.result(
                new Result("inbox", batches.ratio(), figures),
                "batches %,.0f events/s with the inbox, %,.0f without, ratio %.3f;"
                        + " single events %,.0f with, %,.0f without, ratio %.3f",
                Figures.median(batches.with),
                Figures.median(batches.without),
                batches.ratio(),
                Figures.median(single.with),
                Figures.median(single.without),
                single.ratio());
    }

    private static void put(Map<String, Object> figures, String form, Rates rates) {
        figures.put(form + "WithPerSecond", Figures.median(rates.with));
        figures.put(form + "WithoutPerSecond", Figures.median(rates.without));
        figures.put(form + "WithRounds", rates.with);
        figures.put(form + "WithoutRounds", rates.without);
        figures.put(form + "Ratio", rates.ratio());
    }
}
