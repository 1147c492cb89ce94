package dev.posthorn.benchmarks.kafka;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.testbed.Broker;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the inbox costs a consumer that writes to its database. */
@Command(
        name = "inbox",
        description = "Consumes a topic and writes a row per event, through the inbox against the same without it.")
public final class Inbox extends Benchmark {

    private static final String TOPIC = "inbox";

    @Mixin
    private final Rounds rounds = new Rounds(5, 2);

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

    @Override
    protected void measure() throws Exception {
        events = output.size(events, 5000);
        singles = output.size(singles, 500);
        try (Server server = Server.start();
                Broker broker = Broker.start()) {
            Database database = server.create("inbox");
            Consuming.prepare(database);
            publish(database, broker);
            try (HikariDataSource pool = pool(database)) {
                Consuming consuming = new Consuming(database, pool, broker.bootstrapServers(), TOPIC, threads);
                Form batches = measure("batch", consuming, events, batchSize);
                report(batches, measure("single", consuming, singles, 1));
            }
        }
    }

    private void publish(Database database, Broker broker) throws SQLException {
        output.progress("publishing %,d events", events);
        database.record(events, new SampleEvents(1, size, 5000)::next);
        broker.createTopic(TOPIC);
        Subscription all =
                Subscription.to("publish", broker.sink(TOPIC)).fromBeginning().build();
        Draining.drain(database, List.of(all), 1, events);
    }

    private HikariDataSource pool(Database database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(threads + 1);
        return new HikariDataSource(config);
    }

    private record Form(Side with, Side without) {

        double ratio() {
            return with.ratio(without);
        }
    }

    private Form measure(String form, Consuming consuming, int count, int batch) throws Exception {
        Comparison comparison = new Comparison("inbox", output, rounds);
        Side with = comparison.side(form + "With", round -> consuming.consume(count, batch, true));
        Side without = comparison.side(form + "Without", round -> consuming.consume(count, batch, false));
        comparison.run();
        return new Form(with, without);
    }

    private void report(Form batches, Form single) throws IOException {
        Figures figures = new Figures()
                .rates(batches.with, batches.without)
                .put("batchRatio", batches.ratio())
                .rates(single.with, single.without)
                .put("singleRatio", single.ratio())
                .put("events", events)
                .put("singles", singles)
                .put("payloadBytes", size)
                .put("threads", threads)
                .put("batchSize", batchSize);
        output.result(
                "inbox",
                batches.ratio(),
                figures,
                "batches %,.0f events/s with the inbox, %,.0f without, ratio %.3f;"
                        + " single events %,.0f with, %,.0f without, ratio %.3f",
                batches.with.perSecond(),
                batches.without.perSecond(),
                batches.ratio(),
                single.with.perSecond(),
                single.without.perSecond(),
                single.ratio());
    }
}
