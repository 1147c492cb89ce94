package dev.posthorn.benchmarks;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Whether live events of a subscription notice that dead letters of the same subscription are replayed at a pace. Phases
 * with and without a replay take turns, each with a log of its own, drained before.
 */
final class ReplayBesideLive {

    private static final String NAME = "live";
    private static final int WRITERS = 8;

    /** For how long more the replay could go on: it must not end before the live events do. */
    private static final int MARGIN_SECONDS = 5;

    /**
     * @param rate live events per second
     * @param replayRate replayed events per second
     * @param seconds for how long is measured
     * @param settling seconds of both before, which do not count
     * @param pairs phases of each sort, after one of each that does not count
     */
    record Sizes(
            int size,
            int keys,
            int lanes,
            int workers,
            int rate,
            int replayRate,
            int seconds,
            int settling,
            int pairs) {

        int live() {
            return rate * (settling + seconds);
        }

        int deadLetters() {
            return replayRate * (settling + seconds + MARGIN_SECONDS);
        }
    }

    /** From commit to received, in ms, and how many dead letters went beside. */
    private record Phase(double p50, double p99, double replayed) {}

    private final Sizes sizes;
    private final Output output;
    private final List<Phase> alone = new ArrayList<>();
    private final List<Phase> beside = new ArrayList<>();

    ReplayBesideLive(Sizes sizes, Output output) {
        this.sizes = sizes;
        this.output = output;
    }

    void measure(Server server) throws IOException, SQLException, InterruptedException {
        for (int pair = 0; pair <= sizes.pairs; pair++) {
            for (boolean replaying : new boolean[] {pair % 2 != 0, pair % 2 == 0}) {
                Phase phase = phase(server, replaying);
                output.progress(
                        "live, %s, %s: p50 %.2f ms, p99 %.2f ms, replayed %,.0f events/s",
                        pair == 0 ? "warm-up" : "pair " + pair,
                        replaying ? "beside a replay" : "alone",
                        phase.p50,
                        phase.p99,
                        phase.replayed);
                if (pair > 0) {
                    (replaying ? beside : alone).add(phase);
                }
            }
        }
    }

    private Phase phase(Server server, boolean replaying) throws IOException, SQLException, InterruptedException {
        Database database = server.create("beside");
        SampleEvents samples = new SampleEvents(1, sizes.size, sizes.keys);
        int[] next = {0};
        database.record(sizes.deadLetters(), () -> samples.next(next[0]++));
        WebhookArrivals arrivals =
                new WebhookArrivals(false, "/nobody", sizes.deadLetters(), sizes.live(), event -> true);
        Phase phase;
        try (WebhookReceiver receiver = WebhookReceiver.start(arrivals);
                Relay relay = relay(database, receiver.port())) {
            arrivals.awaitBacklog();
            Draining.await(relay, sizes.deadLetters());
            // Also where nothing is replayed, so that the tables are the same.
            DeadLetters.make(database, NAME, sizes.deadLetters());
            phase = live(database, relay, arrivals, replaying);
        }
        server.drop("beside");
        return phase;
    }

    private Relay relay(Database database, int port) {
        return Relay.builder(database.dataSource())
                .workers(sizes.workers)
                .subscribe(Subscription.to(NAME, ReplayTarget.webhook(port))
                        .fromBeginning()
                        .lanes(sizes.lanes)
                        .build())
                .start();
    }

    private Phase live(Database database, Relay relay, WebhookArrivals arrivals, boolean replaying)
            throws InterruptedException {
        if (replaying) {
            new Replays(database.dataSource(), SchemaName.DEFAULT).start(request(), Actor.named("bench"));
        }
        long delivered = Draining.delivered(relay);
        long started = Writers.soon();
        Writers writers = new Writers(database, sizes.rate, sizes.live());
        Writers.run(writers.streams(WRITERS, started, writer -> {
            SampleEvents samples = new SampleEvents(writer, sizes.size, sizes.keys);
            return number -> samples.next(sizes.deadLetters() + number);
        }));
        double replayed = (Draining.delivered(relay) - delivered - sizes.live()) / Figures.secondsSince(started);
        arrivals.awaitLive();
        double[] millis = millis(writers.committedAt(), arrivals);
        return new Phase(Figures.percentile(millis, 0.5), Figures.percentile(millis, 0.99), Math.max(0, replayed));
    }

    private ReplayRequest request() {
        return ReplayRequest.ofQuery(
                        DeadLetterQuery.builder().subscription(NAME).build())
                .ratePerSecond((double) sizes.replayRate)
                .reason("to see who notices")
                .build();
    }

    /** An event may arrive before its writer has been told that it is committed; then it took no time at all. */
    private double[] millis(long[] committed, WebhookArrivals arrivals) {
        return IntStream.range(sizes.rate * sizes.settling, sizes.live())
                .mapToDouble(event -> Math.max(0, arrivals.ofLive(event) - committed[event]) / 1e6)
                .toArray();
    }

    private static double median(List<Phase> phases, ToDoubleFunction<Phase> figure) {
        return Figures.median(
                phases.stream().map(phase -> figure.applyAsDouble(phase)).toList());
    }

    double p50Ratio() {
        return median(beside, Phase::p50) / median(alone, Phase::p50);
    }

    double p99Ratio() {
        return median(beside, Phase::p99) / median(alone, Phase::p99);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "live p50 %.2f ms and p99 %.2f ms beside a replay, %.2f ms and %.2f ms alone, ratios %.3f and %.3f",
                median(beside, Phase::p50),
                median(beside, Phase::p99),
                median(alone, Phase::p50),
                median(alone, Phase::p99),
                p50Ratio(),
                p99Ratio());
    }

    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("p50Ratio", p50Ratio());
        figures.put("p99Ratio", p99Ratio());
        figures.put("alone", figures(alone));
        figures.put("besideReplay", figures(beside));
        figures.put("livePerSecond", sizes.rate);
        figures.put("replayPerSecondAskedFor", sizes.replayRate);
        return figures;
    }

    private static Map<String, Object> figures(List<Phase> phases) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("p50Millis", median(phases, Phase::p50));
        figures.put("p99Millis", median(phases, Phase::p99));
        figures.put("replayedPerSecond", median(phases, Phase::replayed));
        figures.put("p99Phases", phases.stream().map(Phase::p99).toList());
        return figures;
    }
}
