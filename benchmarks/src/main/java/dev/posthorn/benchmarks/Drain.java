package dev.posthorn.benchmarks;

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

/** How fast a backlog goes to Kafka, against a loop without any bookkeeping. */
@Command(
        name = "drain",
        mixinStandardHelpOptions = true,
        description = "Drains a backlog to an 8-partition topic, against a bare SELECT loop that feeds a producer.")
final class Drain implements Callable<Integer> {

    private static final int PARTITIONS = 8;

    @Mixin
    private final Output output = new Output();

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 300_000;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 5000;

    @Option(names = "--rounds", description = "Rounds of each side, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--warm-ups", description = "Rounds of each side before (${DEFAULT-VALUE}).")
    private int warmUps = 2;

    @Option(names = "--batch-size", description = "Events of one read, of both sides (${DEFAULT-VALUE}).")
    private int batchSize = 1000;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 1;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 1;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    public Integer call() throws IOException, SQLException {
        events = output.size(events, 5000);
        try (Server server = Server.start();
                Broker broker = Broker.start()) {
            Database database = server.create("drain");
            output.progress("recording a backlog of %,d events", events);
            database.record(events, new SampleEvents(1, size, keys));
            database.comeToRest();
            measure(database, broker);
        }
        return 0;
    }

    private void measure(Database database, Broker broker) throws SQLException, IOException {
        List<Double> ours = new ArrayList<>();
        List<Double> bare = new ArrayList<>();
        int before = output.size(warmUps, 1);
        for (int i = 0; i < before + output.size(rounds, 1); i++) {
            // Each side begins every second round: whoever comes second finds the machine in another state.
            boolean oursFirst = i % 2 == 0;
            double first = oursFirst ? ours(database, broker, i) : bare(database, broker, i);
            double second = oursFirst ? bare(database, broker, i) : ours(database, broker, i);
            double ourRate = oursFirst ? first : second;
            double bareRate = oursFirst ? second : first;
            output.progress(
                    "%s: ours %,.0f events/s, bare loop %,.0f events/s",
                    i < before ? "warm-up" : "round " + (i - before + 1), ourRate, bareRate);
            if (i >= before) {
                ours.add(ourRate);
                bare.add(bareRate);
            }
        }
        report(ours, bare);
    }

    private void report(List<Double> ours, List<Double> bare) throws IOException {
        double ratio = Figures.median(ours) / Figures.median(bare);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("oursPerSecond", Figures.median(ours));
        figures.put("barePerSecond", Figures.median(bare));
        figures.put("oursRounds", ours);
        figures.put("bareRounds", bare);
        figures.put("events", events);
        figures.put("payloadBytes", size);
        figures.put("batchSize", batchSize);
        figures.put("lanes", lanes);
        figures.put("workers", workers);
        figures.put("inFlightLimit", inFlight);
        output.result(
                new Result("drain", ratio, figures),
                "ours %,.0f events/s, bare loop %,.0f events/s, ratio %.3f",
                Figures.median(ours),
                Figures.median(bare),
                ratio);
    }

    private double ours(Database database, Broker broker, int round) {
        String topic = "ours-" + round;
        broker.createTopic(topic, PARTITIONS);
        try {
            KafkaSink sink =
                    KafkaSink.builder(broker.bootstrapServers()).topic(topic).build();
            Subscription subscription = Subscription.to(topic, sink)
                    .fromBeginning()
                    .lanes(lanes)
                    .batchSize(batchSize)
                    .inFlightLimit(inFlight)
                    .build();
            return events / Draining.seconds(database.dataSource(), List.of(subscription), workers, events);
        } finally {
            broker.deleteTopic(topic);
        }
    }

    private double bare(Database database, Broker broker, int round) throws SQLException {
        String topic = "bare-" + round;
        broker.createTopic(topic, PARTITIONS);
        try {
            return events / new BareLoop(batchSize).seconds(database, broker.bootstrapServers(), topic, events);
        } finally {
            broker.deleteTopic(topic);
        }
    }
}
