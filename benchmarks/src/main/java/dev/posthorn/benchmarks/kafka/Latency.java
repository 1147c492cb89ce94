package dev.posthorn.benchmarks.kafka;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Percentiles;
import dev.posthorn.benchmarks.testbed.Broker;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How long after its commit an event is with a consumer, against a message sent straight to Kafka. */
@Command(
        name = "latency",
        description = "Commit to received by a consumer at a steady rate, against events sent directly to Kafka at the"
                + " same rate and time.")
public final class Latency extends Benchmark {

    /** As many as a relay has by default. */
    private static final int WORKERS = 2;

    private static final String OURS = "ours";
    private static final String DIRECT = "direct";

    @Option(names = "--rate", description = "Events per second of each side (${DEFAULT-VALUE}).")
    private int rate = 1000;

    @Option(names = "--seconds", description = "How long to measure (${DEFAULT-VALUE}).")
    private int seconds = 20;

    @Option(names = "--warm-up", description = "Seconds before, which do not count (${DEFAULT-VALUE}).")
    private int warmUp = 45;

    @Option(names = "--writers", description = "Connections that commit (${DEFAULT-VALUE}).")
    private int writers = 16;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 4;

    @Override
    protected void measure() throws IOException, SQLException, InterruptedException {
        int before = rate * output.size(warmUp, 1);
        int total = before + rate * output.size(seconds, 2);
        try (Server server = Server.start();
                Broker broker = Broker.start()) {
            Database database = server.create("latency");
            broker.createTopic(OURS);
            broker.createTopic(DIRECT);
            Subscription subscription =
                    Subscription.to("latency", broker.sink(OURS)).lanes(lanes).build();
            try (Relay relay = Draining.start(database, List.of(subscription), WORKERS);
                    Arrivals arrivals = new Arrivals(broker.bootstrapServers(), OURS, DIRECT, total)) {
                output.progress(
                        "%,d events/s for %d s to %d lanes",
                        rate, total / rate, relay.lanes().size());
                Traffic traffic = new Traffic(database, broker.bootstrapServers(), DIRECT, rate, size, total);
                traffic.run(writers);
                arrivals.awaitAll();
                report(
                        percentiles(before, traffic.committedAt(), arrivals.at(OURS)),
                        percentiles(before, traffic.sentAt(), arrivals.at(DIRECT)),
                        total - before);
            }
        }
    }

    private static Percentiles percentiles(int first, long[] from, long[] to) {
        return Percentiles.between(IntStream.range(first, from.length), event -> from[event], event -> to[event]);
    }

    /** Both sides have run at the same time, so there were no turns to take. */
    private void report(Percentiles ours, Percentiles direct, int events) throws IOException {
        Percentiles overhead = ours.minus(direct);
        Figures figures = new Figures()
                .put("oursMillis", ours.figures())
                .put("directMillis", direct.figures())
                .put("overheadMillis", overhead.figures())
                .put("eventsPerSecond", rate)
                .put("events", events)
                .put("from", "ours: the commit has returned; direct: just before send");
        output.result(
                "latency",
                direct.p50() / ours.p50(),
                figures,
                "from commit %s; directly to Kafka %s; overhead %s",
                ours,
                direct,
                overhead);
    }
}
