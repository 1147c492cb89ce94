package dev.posthorn.benchmarks.relay;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What it costs that events fail: each gets a row, its key waits behind it, and it is sent again. */
@Command(
        name = "retry",
        description = "Drain a backlog of which every tenth event fails once, against the same drain without failures.")
public final class Retry extends Benchmark {

    @Mixin
    private final Rounds rounds = new Rounds(3, 1);

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 1_000_000;

    @Option(names = "--fail-every", description = "Every so many events fail once (${DEFAULT-VALUE}).")
    private int failEvery = 10;

    @Option(names = "--delay-ms", description = "How long a failed event waits (${DEFAULT-VALUE}).")
    private int delayMillis = 100;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 100_000;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 1;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 1;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    protected void measure() throws Exception {
        events = output.size(events, 5000);
        keys = output.size(keys, 500);
        try (Server server = Server.start()) {
            Database database = server.create("retry");
            database.recordBacklog(events, new SampleEvents(1, 500, keys)::next, output);
            Comparison comparison = new Comparison("retry", output, rounds);
            Side smooth = comparison.side("smooth", round -> turn(database, "smooth-" + round, FailingSink.never()));
            Side failing = comparison.side(
                    "failing", round -> turn(database, "failing-" + round, FailingSink.onceEvery(failEvery)));
            comparison.run();
            report(smooth, failing);
        }
    }

    private Turn turn(Database database, String name, FailingSink sink) {
        Subscription subscription = Subscription.to(name, sink)
                .fromBeginning()
                .lanes(lanes)
                .inFlightLimit(inFlight)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(delayMillis)))
                .build();
        return Draining.drain(database, List.of(subscription), workers, events);
    }

    private void report(Side smooth, Side failing) throws IOException {
        Figures figures = new Figures()
                .rates(failing, smooth)
                .put("events", events)
                .put("failures", events / failEvery)
                .put("delayMillis", delayMillis)
                .put("keys", keys)
                .put("lanes", lanes)
                .put("workers", workers)
                .put("inFlightLimit", inFlight);
        output.result(
                "retry",
                failing.ratio(smooth),
                figures,
                "%,.0f events/s with %,d failures among %,d events, %,.0f without, ratio %.3f",
                failing.perSecond(),
                events / failEvery,
                events,
                smooth.perSecond(),
                failing.ratio(smooth));
    }
}
