package dev.posthorn.benchmarks;

import dev.posthorn.relay.RetryPolicy;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What it costs that events fail: each gets a row, its key waits behind it, and it is sent again. */
@Command(
        name = "retry",
        mixinStandardHelpOptions = true,
        description = "Drain a backlog of which every tenth event fails once, against the same drain without failures.")
final class Retry implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 1_000_000;

    @Option(names = "--fail-every", description = "Every so many events fail once (${DEFAULT-VALUE}).")
    private int failEvery = 10;

    @Option(names = "--delay-ms", description = "How long a failed event waits (${DEFAULT-VALUE}).")
    private int delayMillis = 100;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 100_000;

    @Option(names = "--rounds", description = "Rounds of each side, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 3;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 1;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 1;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    public Integer call() throws IOException, SQLException {
        events = output.size(events, 5000);
        keys = output.size(keys, 500);
        rounds = output.size(rounds, 1);
        try (Server server = Server.start()) {
            Database database = server.create("retry");
            output.progress("recording a backlog of %,d events", events);
            database.record(events, new SampleEvents(1, 500, keys));
            database.comeToRest();
            measure(database);
        }
        return 0;
    }

    private void measure(Database database) throws IOException {
        List<Double> smooth = new ArrayList<>();
        List<Double> failing = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            boolean smoothFirst = round % 2 == 0;
            double first = rate(database, round, !smoothFirst);
            double second = rate(database, round, smoothFirst);
            double smoothRate = smoothFirst ? first : second;
            double failingRate = smoothFirst ? second : first;
            output.progress(
                    "%s: %,.0f events/s with failures, %,.0f without",
                    round == 0 ? "warm-up" : "round " + round, failingRate, smoothRate);
            if (round > 0) {
                smooth.add(smoothRate);
                failing.add(failingRate);
            }
        }
        report(smooth, failing);
    }

    private double rate(Database database, int round, boolean fails) {
        FailingSink sink = fails ? FailingSink.onceEvery(failEvery) : FailingSink.never();
        Subscription subscription = Subscription.to((fails ? "failing-" : "smooth-") + round, sink)
                .fromBeginning()
                .lanes(lanes)
                .inFlightLimit(inFlight)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(delayMillis)))
                .build();
        return events / Draining.seconds(database.dataSource(), List.of(subscription), workers, events);
    }

    private void report(List<Double> smooth, List<Double> failing) throws IOException {
        double ratio = Figures.median(failing) / Figures.median(smooth);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("failingPerSecond", Figures.median(failing));
        figures.put("smoothPerSecond", Figures.median(smooth));
        figures.put("failingRounds", failing);
        figures.put("smoothRounds", smooth);
        figures.put("events", events);
        figures.put("failures", events / failEvery);
        figures.put("delayMillis", delayMillis);
        figures.put("keys", keys);
        figures.put("lanes", lanes);
        figures.put("workers", workers);
        figures.put("inFlightLimit", inFlight);
        output.result(
                new Result("retry", ratio, figures),
                "%,.0f events/s with %,d failures among %,d events, %,.0f without, ratio %.3f",
                Figures.median(failing),
                events / failEvery,
                events,
                Figures.median(smooth),
                ratio);
    }
}
