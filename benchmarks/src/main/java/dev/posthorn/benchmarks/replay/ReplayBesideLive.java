package dev.posthorn.benchmarks.replay;

import dev.posthorn.audit.Actor;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Parallel;
import dev.posthorn.benchmarks.harness.Percentiles;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.http.WebhookArrivals;
import dev.posthorn.benchmarks.http.WebhookReceiver;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.benchmarks.testbed.Writers;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;

/**
 * Whether live events of a subscription notice that dead letters of the same subscription are replayed at a pace. Phases
 * with and without a replay take turns, each with a log of its own, drained before.
 */
final class ReplayBesideLive {

    private static final String NAME = "live";
    private static final int WRITERS = 8;

    /** For how long more the replay could go on: it must not end before the live events do. */
    private static final int MARGIN_SECONDS = 5;

    private static final String P50 = "p50Millis";
    private static final String P99 = "p99Millis";
    private static final String REPLAYED = "replayedPerSecond";

    @Option(names = "--live-rate", description = "Live events per second (${DEFAULT-VALUE}).")
    private int rate = 500;

    @Option(names = "--replay-rate", description = "Replayed events per second beside them (${DEFAULT-VALUE}).")
    private int replayRate = 500;

    @Option(names = "--seconds", description = "How long live events are measured in a phase (${DEFAULT-VALUE}).")
    private int seconds = 15;

    @Option(names = "--phases", description = "Phases of each sort, 0: no live events (${DEFAULT-VALUE}).")
    private int phases = 5;

    /** Seconds of both before, which do not count. */
    private int settling = 5;

    boolean isWanted() {
        return phases > 0;
    }

    private int live() {
        return rate * (settling + seconds);
    }

    private int deadLetters() {
        return replayRate * (settling + seconds + MARGIN_SECONDS);
    }

    /** From commit to received, and how many dead letters went beside. */
    record LivePhases(Side alone, Side beside) {

        double p50Ratio() {
            return beside.ratio(alone, P50);
        }

        double p99Ratio() {
            return beside.ratio(alone, P99);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "live p50 %.2f ms and p99 %.2f ms beside a replay, %.2f ms and %.2f ms alone, ratios %.3f and %.3f",
                    beside.median(P50),
                    beside.median(P99),
                    alone.median(P50),
                    alone.median(P99),
                    p50Ratio(),
                    p99Ratio());
        }
    }

    LivePhases measure(Server server, ReplaySetup setup, Output output) throws Exception {
        seconds = output.size(seconds, 1);
        settling = output.size(settling, 1);
        Comparison comparison = new Comparison(NAME, output, new Rounds(phases, 1));
        Side alone = comparison.side("alone", round -> phase(server, setup, false));
        Side beside = comparison.side("besideReplay", round -> phase(server, setup, true));
        comparison.run();
        return new LivePhases(alone, beside);
    }

    private Turn phase(Server server, ReplaySetup setup, boolean replaying)
            throws IOException, SQLException, InterruptedException {
        Database database = server.create("beside");
        SampleEvents samples = setup.samples(1);
        int[] next = {0};
        database.record(deadLetters(), () -> samples.next(next[0]++));
        WebhookArrivals arrivals = new WebhookArrivals(false, "/nobody", deadLetters(), live(), event -> true);
        Turn turn;
        try (WebhookReceiver receiver = WebhookReceiver.start(arrivals);
                Relay relay = setup.start(
                        database,
                        NAME,
                        WebhookReceiver.sink(receiver.port(), "/").build())) {
            arrivals.awaitBacklog();
            Draining.await(relay, deadLetters());
            // Also where nothing is replayed, so that the tables are the same.
            DeadLetters.make(database, NAME, deadLetters());
            if (replaying) {
                new Replays(database.dataSource(), SchemaName.DEFAULT).start(request(), Actor.named("bench"));
            }
            turn = live(database, relay, arrivals, setup);
        }
        server.drop("beside");
        return turn;
    }

    private Turn live(Database database, Relay relay, WebhookArrivals arrivals, ReplaySetup setup)
            throws InterruptedException {
        long delivered = Draining.delivered(relay);
        long started = Writers.soon();
        Writers writers = new Writers(database, rate, live());
        Parallel.run(writers.streams(WRITERS, started, writer -> {
            SampleEvents samples = setup.samples(writer);
            return number -> samples.next(deadLetters() + number);
        }));
        long beside = Draining.delivered(relay) - delivered - live();
        double elapsed = (System.nanoTime() - started) / 1e9;
        arrivals.awaitLive();
        long[] committed = writers.committedAt();
        Percentiles percentiles = Percentiles.between(
                IntStream.range(rate * settling, live()), event -> committed[event], arrivals::ofLive);
        return Turn.of(P50, percentiles.p50()).and(P99, percentiles.p99()).and(REPLAYED, Math.max(0, beside / elapsed));
    }

    private ReplayRequest request() {
        return ReplayRequest.ofQuery(
                        DeadLetterQuery.builder().subscription(NAME).build())
                .ratePerSecond((double) replayRate)
                .reason("to see who notices")
                .build();
    }

    Figures figures(LivePhases measured) {
        return new Figures()
                .put("p50Ratio", measured.p50Ratio())
                .put("p99Ratio", measured.p99Ratio())
                .put("alone", figures(measured.alone))
                .put("besideReplay", figures(measured.beside))
                .put("livePerSecond", rate)
                .put("replayPerSecondAskedFor", replayRate);
    }

    private static Figures figures(Side side) {
        return Figures.medians(side, P50, P99, REPLAYED).put("p99Phases", side.turns(P99));
    }
}
