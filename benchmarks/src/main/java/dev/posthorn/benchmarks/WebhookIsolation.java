package dev.posthorn.benchmarks;

import dev.posthorn.event.Event;
import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.log.Filter;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

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

    /**
     * @param backlog events that are drained
     * @param rate live events per second
     * @param seconds for how long those are measured
     * @param settling seconds of live events before, which do not count
     * @param pairs phases of each sort, after one of each that does not count
     */
    record Sizes(int backlog, int size, int rate, int seconds, int settling, int pairs) {

        int live() {
            return rate * (settling + seconds);
        }
    }

    /** What the nineteen got. */
    private record Phase(double drained, double live, double p50, double p99) {}

    private final Sizes sizes;
    private final Output output;
    private final List<Phase> healthy = new ArrayList<>();
    private final List<Phase> besideHanging = new ArrayList<>();

    WebhookIsolation(Sizes sizes, Output output) {
        this.sizes = sizes;
        this.output = output;
    }

    void measure(Server server) throws IOException, SQLException, InterruptedException {
        for (int pair = 0; pair <= sizes.pairs; pair++) {
            boolean healthyFirst = pair % 2 == 0;
            for (boolean hanging : new boolean[] {!healthyFirst, healthyFirst}) {
                Phase phase = phase(server, hanging);
                output.progress(
                        "%s, %s: drained %,.0f events/s, live %,.0f events/s, p50 %.1f ms, p99 %.1f ms",
                        pair == 0 ? "warm-up" : "pair " + pair,
                        hanging ? "one hangs" : "all healthy",
                        phase.drained,
                        phase.live,
                        phase.p50,
                        phase.p99);
                if (pair > 0) {
                    (hanging ? besideHanging : healthy).add(phase);
                }
            }
        }
    }

    private Phase phase(Server server, boolean hanging) throws IOException, SQLException, InterruptedException {
        Database database = server.create("isolation");
        SampleEvents samples = new SampleEvents(1, sizes.size, KEYS);
        int[] next = {0};
        database.record(sizes.backlog, () -> event(samples, next[0]++));
        database.comeToRest();
        WebhookArrivals arrivals = new WebhookArrivals(
                hanging, path(SUBSCRIPTIONS - 1), sizes.backlog, sizes.live(), WebhookIsolation::isOfOthers);
        WebhookReceiver receiver = WebhookReceiver.start(arrivals);
        Relay.Builder builder = Relay.builder(database.dataSource()).workers(WORKERS);
        IntStream.range(0, SUBSCRIPTIONS)
                .mapToObj(number -> subscription(number, receiver.port()))
                .forEach(builder::subscribe);
        long started = System.nanoTime();
        Relay relay = builder.start();
        Phase phase;
        // The receiver is closed before the relay, which otherwise would wait for the requests that hang.
        try (relay;
                receiver) {
            double drained = arrivals.awaitBacklog() / Figures.secondsSince(started);
            phase = live(database, arrivals, drained);
        }
        server.drop("isolation");
        return phase;
    }

    private Phase live(Database database, WebhookArrivals arrivals, double drained) throws InterruptedException {
        Writers writers = new Writers(database, sizes.rate, sizes.live());
        Writers.run(writers.streams(WRITERS, Writers.soon(), writer -> {
            SampleEvents samples = new SampleEvents(writer, sizes.size, KEYS);
            return number -> event(samples, sizes.backlog + number);
        }));
        arrivals.awaitLive();
        long[] committed = writers.committedAt();
        int[] measured = IntStream.range(sizes.rate * sizes.settling, sizes.live())
                .filter(event -> isOfOthers(sizes.backlog + event))
                .toArray();
        // An event may arrive before its writer has been told that it is committed; then it took no time at all.
        double[] millis = IntStream.of(measured)
                .mapToDouble(event -> Math.max(0, arrivals.ofLive(event) - committed[event]) / 1e6)
                .toArray();
        long last = IntStream.of(measured).mapToLong(arrivals::ofLive).max().orElseThrow();
        double seconds = (last - committed[measured[0]]) / 1e9;
        return new Phase(
                drained, measured.length / seconds, Figures.percentile(millis, 0.5), Figures.percentile(millis, 0.99));
    }

    private static boolean isOfOthers(int event) {
        return event % SUBSCRIPTIONS != SUBSCRIPTIONS - 1;
    }

    private static Event event(SampleEvents samples, int number) {
        Event event = samples.next(number);
        return Event.builder()
                .source(event.source())
                .type(type(number % SUBSCRIPTIONS))
                .aggregateType(event.aggregateType())
                .key(event.key())
                .payload(event.payload())
                .build();
    }

    private static String type(int subscription) {
        return "order.placed." + subscription;
    }

    private static String path(int subscription) {
        return "/" + subscription;
    }

    private static Subscription subscription(int number, int port) {
        HttpSink sink = HttpSink.builder("http://127.0.0.1:" + port + path(number))
                .destinations(Destinations.builder().allowLoopback().build())
                .signedWith(HttpSink.newSecret())
                .build();
        return Subscription.to("webhook-" + number, sink)
                .filter(Filter.types(type(number)))
                .fromBeginning()
                .lanes(1)
                .build();
    }

    private static double median(List<Phase> phases, ToDoubleFunction<Phase> figure) {
        return Figures.median(
                phases.stream().map(phase -> figure.applyAsDouble(phase)).toList());
    }

    private double ratio(ToDoubleFunction<Phase> figure) {
        return median(besideHanging, figure) / median(healthy, figure);
    }

    double throughputRatio() {
        return Math.min(ratio(Phase::drained), ratio(Phase::live));
    }

    double p99Ratio() {
        return ratio(Phase::p99);
    }

    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("throughputRatio", throughputRatio());
        figures.put("p99Ratio", p99Ratio());
        figures.put("healthy", figures(healthy));
        figures.put("besideHanging", figures(besideHanging));
        figures.put("subscriptions", SUBSCRIPTIONS);
        figures.put("backlog", sizes.backlog);
        figures.put("livePerSecond", sizes.rate);
        figures.put("liveSeconds", sizes.seconds);
        figures.put("workers", WORKERS);
        return figures;
    }

    private static Map<String, Object> figures(List<Phase> phases) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("drainedPerSecond", median(phases, Phase::drained));
        figures.put("livePerSecond", median(phases, Phase::live));
        figures.put("p50Millis", median(phases, Phase::p50));
        figures.put("p99Millis", median(phases, Phase::p99));
        figures.put("drainedPhases", phases.stream().map(Phase::drained).toList());
        figures.put("p99Phases", phases.stream().map(Phase::p99).toList());
        return figures;
    }
}
