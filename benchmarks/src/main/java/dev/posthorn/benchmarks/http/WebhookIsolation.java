package dev.posthorn.benchmarks.http;

import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Parallel;
import dev.posthorn.benchmarks.harness.Percentiles;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.benchmarks.testbed.Writers;
import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;

/**
 * Whether nineteen subscriptions notice that the receiver of a twentieth hangs. Each wants a twentieth of the events. In
 * every phase, with a log of its own, they first drain a backlog as fast as they can, which tells the throughput, and
 * then follow a steady load, which tells the latency.
 */
final class WebhookIsolation {

    private static final int SUBSCRIPTIONS = 20;

    private static final int KEYS = 5000;

    private static final int WORKERS = 2;

    private static final int WRITERS = 8;

    private static final String DRAINED = "drainedPerSecond";
    private static final String LIVE = "livePerSecond";
    private static final String P50 = "p50Millis";
    private static final String P99 = "p99Millis";

    @Option(names = "--isolation-events", description = "Backlog of the 20 subscriptions (${DEFAULT-VALUE}).")
    private int backlog = 40_000;

    @Option(names = "--rate", description = "Live events per second to the 20 subscriptions (${DEFAULT-VALUE}).")
    private int rate = 400;

    @Option(names = "--seconds", description = "How long live events are measured in a phase (${DEFAULT-VALUE}).")
    private int seconds = 15;

    @Option(names = "--phases", description = "Phases with and without the hanging one (${DEFAULT-VALUE}).")
    private int phases = 5;

    /** Seconds of live events before, which do not count. */
    private int settling = 3;

    private int size;

    /** What the nineteen got. */
    record Isolation(Side healthy, Side besideHanging) {

        double throughputRatio() {
            return Math.min(besideHanging.ratio(healthy, DRAINED), besideHanging.ratio(healthy, LIVE));
        }

        double p99Ratio() {
            return besideHanging.ratio(healthy, P99);
        }
    }

    /** @param payload bytes of an event's payload */
    Isolation measure(Server server, int payload, Output output) throws Exception {
        size = payload;
        backlog = output.size(backlog, 2000);
        seconds = output.size(seconds, 1);
        settling = output.size(settling, 0);
        Comparison comparison = new Comparison("isolation", output, new Rounds(phases, 1));
        Side healthy = comparison.side("healthy", round -> phase(server, false));
        Side besideHanging = comparison.side("besideHanging", round -> phase(server, true));
        comparison.run();
        return new Isolation(healthy, besideHanging);
    }

    private int live() {
        return rate * (settling + seconds);
    }

    private Turn phase(Server server, boolean hanging) throws IOException, SQLException, InterruptedException {
        Database database = server.create("isolation");
        SampleEvents samples = new SampleEvents(1, size, KEYS);
        int[] next = {0};
        database.record(backlog, () -> event(samples, next[0]++));
        database.comeToRest();
        WebhookArrivals arrivals =
                new WebhookArrivals(hanging, path(SUBSCRIPTIONS - 1), backlog, live(), WebhookIsolation::isOfOthers);
        WebhookReceiver receiver = WebhookReceiver.start(arrivals);
        List<Subscription> subscriptions = IntStream.range(0, SUBSCRIPTIONS)
                .mapToObj(number -> subscription(number, receiver.port()))
                .toList();
        Stopwatch watch = new Stopwatch();
        Relay relay = Draining.start(database, subscriptions, WORKERS);
        Turn turn;
        // The receiver is closed before the relay, which otherwise would wait for the requests that hang.
        try (relay;
                receiver) {
            double drained = arrivals.awaitBacklog() / watch.seconds();
            turn = live(database, arrivals, drained);
        }
        server.drop("isolation");
        return turn;
    }

    private Turn live(Database database, WebhookArrivals arrivals, double drained) throws InterruptedException {
        Writers writers = new Writers(database, rate, live());
        Parallel.run(writers.streams(WRITERS, Writers.soon(), writer -> {
            SampleEvents samples = new SampleEvents(writer, size, KEYS);
            return number -> event(samples, backlog + number);
        }));
        arrivals.awaitLive();
        long[] committed = writers.committedAt();
        int[] measured = IntStream.range(rate * settling, live())
                .filter(event -> isOfOthers(backlog + event))
                .toArray();
        long last = IntStream.of(measured).mapToLong(arrivals::ofLive).max().orElseThrow();
        double elapsed = (last - committed[measured[0]]) / 1e9;
        Percentiles percentiles =
                Percentiles.between(IntStream.of(measured), event -> committed[event], arrivals::ofLive);
        return Turn.of(DRAINED, drained)
                .and(LIVE, measured.length / elapsed)
                .and(P50, percentiles.p50())
                .and(P99, percentiles.p99());
    }

    private static boolean isOfOthers(int event) {
        return event % SUBSCRIPTIONS != SUBSCRIPTIONS - 1;
    }

    private static Event event(SampleEvents samples, int number) {
        return samples.builder(number).type(type(number % SUBSCRIPTIONS)).build();
    }

    private static String type(int subscription) {
        return "order.placed." + subscription;
    }

    private static String path(int subscription) {
        return "/" + subscription;
    }

    private static Subscription subscription(int number, int port) {
        return Subscription.to(
                        "webhook-" + number,
                        WebhookReceiver.sink(port, path(number)).build())
                .filter(Filter.types(type(number)))
                .fromBeginning()
                .lanes(1)
                .build();
    }

    Figures figures(Isolation measured) {
        return new Figures()
                .put("throughputRatio", measured.throughputRatio())
                .put("p99Ratio", measured.p99Ratio())
                .put("healthy", figures(measured.healthy))
                .put("besideHanging", figures(measured.besideHanging))
                .put("subscriptions", SUBSCRIPTIONS)
                .put("backlog", backlog)
                .put("livePerSecond", rate)
                .put("liveSeconds", seconds)
                .put("workers", WORKERS);
    }

    private static Figures figures(Side side) {
        return Figures.medians(side, DRAINED, LIVE, P50, P99)
                .put("drainedPhases", side.turns(DRAINED))
                .put("p99Phases", side.turns(P99));
    }
}
