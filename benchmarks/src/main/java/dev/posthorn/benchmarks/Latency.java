package dev.posthorn.benchmarks;

import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long after its commit an event is with a consumer, against a message sent straight to Kafka. */
@Command(
        name = "latency",
        mixinStandardHelpOptions = true,
        description = "Commit to received by a consumer at a steady rate, against events sent directly to Kafka at the"
                + " same rate and time.")
final class Latency implements Callable<Integer> {

    private static final String OURS = "ours";
    private static final String DIRECT = "direct";

    @Mixin
    private final Output output = new Output();

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
    public Integer call() throws IOException, SQLException, InterruptedException {
        int before = rate * output.size(warmUp, 1);
        int total = before + rate * output.size(seconds, 2);
        try (Server server = Server.start();
                Broker broker = Broker.start()) {
            Database database = server.create("latency");
            broker.createTopic(OURS, 8);
            broker.createTopic(DIRECT, 8);
            KafkaSink sink =
                    KafkaSink.builder(broker.bootstrapServers()).topic(OURS).build();
            try (Relay relay = Relay.builder(database.dataSource())
                            .subscribe(Subscription.to("latency", sink)
                                    .lanes(lanes)
                                    .build())
                            .start();
                    Arrivals arrivals = new Arrivals(broker.bootstrapServers(), OURS, DIRECT, total)) {
                output.progress(
                        "%,d events/s for %d s to %d lanes",
                        rate, total / rate, relay.lanes().size());
                Traffic traffic = new Traffic(database, broker.bootstrapServers(), DIRECT, rate, size, total);
                traffic.run(writers);
                arrivals.awaitAll();
                report(
                        millis(traffic.committedAt(), arrivals.at(OURS), before),
                        millis(traffic.sentAt(), arrivals.at(DIRECT), before));
            }
        }
        return 0;
    }

    /** An event may arrive before its writer has been told that it is committed; then it took no time at all. */
    private static double[] millis(long[] from, long[] to, int skip) {
        double[] millis = new double[from.length - skip];
        for (int i = 0; i < millis.length; i++) {
            millis[i] = Math.max(0, to[skip + i] - from[skip + i]) / 1e6;
        }
        return millis;
    }

    private record Percentiles(double p50, double p99, double p999) {

        static Percentiles of(double[] millis) {
            return new Percentiles(
                    Figures.percentile(millis, 0.5),
                    Figures.percentile(millis, 0.99),
                    Figures.percentile(millis, 0.999));
        }

        Percentiles minus(Percentiles other) {
            return new Percentiles(p50 - other.p50, p99 - other.p99, p999 - other.p999);
        }

        Map<String, Object> figures() {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("p50", p50);
            figures.put("p99", p99);
            figures.put("p99_9", p999);
            return figures;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms", p50, p99, p999);
        }
    }

    private void report(double[] ourMillis, double[] directMillis) throws IOException {
        Percentiles ours = Percentiles.of(ourMillis);
        Percentiles direct = Percentiles.of(directMillis);
        Percentiles overhead = ours.minus(direct);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("oursMillis", ours.figures());
        figures.put("directMillis", direct.figures());
        figures.put("overheadMillis", overhead.figures());
        figures.put("eventsPerSecond", rate);
        figures.put("events", ourMillis.length);
        figures.put("from", "ours: the commit has returned; direct: just before send");
        output.result(
                new Result("latency", direct.p50 / ours.p50, figures),
                "from commit %s; directly to Kafka %s; overhead %s",
                ours,
                direct,
                overhead);
    }
}
