package dev.posthorn.benchmarks.kafka;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Broker;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast a backlog goes to Kafka, against a loop without any bookkeeping. */
@Command(
        name = "drain",
        description = "Drains a backlog to an 8-partition topic, against a bare SELECT loop that feeds a producer.")
public final class Drain extends Benchmark {

    @Mixin
    private final Rounds rounds = new Rounds(5, 2);

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 300_000;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 5000;

    @Option(names = "--batch-size", description = "Events of one read, of both sides (${DEFAULT-VALUE}).")
    private int batchSize = 1000;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 1;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 1;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    protected void measure() throws Exception {
        events = output.size(events, 5000);
        try (Server server = Server.start();
                Broker broker = Broker.start()) {
            Database database = server.create("drain");
            database.recordBacklog(events, new SampleEvents(1, size, keys)::next, output);
            Comparison comparison = new Comparison("drain", output, rounds);
            Side ours = comparison.side("ours", round -> {
                String topic = "ours-" + round;
                return onTopic(broker, topic, () -> ours(database, broker, topic));
            });
            Side bare = comparison.side("bare", round -> {
                String topic = "bare-" + round;
                BareLoop loop = new BareLoop(batchSize);
                return onTopic(broker, topic, () -> loop.drain(database, broker.bootstrapServers(), topic, events));
            });
            comparison.run();
            report(ours, bare);
        }
    }

    private static Turn onTopic(Broker broker, String topic, Callable<Turn> turn) throws Exception {
        broker.createTopic(topic);
        try {
            return turn.call();
        } finally {
            broker.deleteTopic(topic);
        }
    }

    private Turn ours(Database database, Broker broker, String topic) {
        Subscription subscription = Subscription.to(topic, broker.sink(topic))
                .fromBeginning()
                .lanes(lanes)
                .batchSize(batchSize)
                .inFlightLimit(inFlight)
                .build();
        return Draining.drain(database, List.of(subscription), workers, events);
    }

    private void report(Side ours, Side bare) throws IOException {
        Figures figures = new Figures()
                .rates(ours, bare)
                .put("events", events)
                .put("payloadBytes", size)
                .put("batchSize", batchSize)
                .put("lanes", lanes)
                .put("workers", workers)
                .put("inFlightLimit", inFlight);
        output.result(
                "drain",
                ours.ratio(bare),
                figures,
                "ours %,.0f events/s, bare loop %,.0f events/s, ratio %.3f",
                ours.perSecond(),
                bare.perSecond(),
                ours.ratio(bare));
    }
}
