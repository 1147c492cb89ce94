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
import dev.posthorn.event.Event;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether keys that are well notice those beside them that fail, whenever they are sent. */
@Command(
        name = "failing",
        description =
                "Drain a backlog of which 1 %%, 10 %% and 50 %% of the keys fail, against the same drain with none:"
                        + " events a second of the keys that are well.")
public final class Failing extends Benchmark {

    private static final List<Integer> PERCENTS = List.of(0, 1, 10, 50);

    @Mixin
    private final Rounds rounds = new Rounds(5, 1);

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 40_000;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 1_000_000;

    @Option(
            names = "--receiver-ms",
            description = "How long the receiver takes for each of its 64 requests at a time; 0 means that it costs"
                    + " nothing (${DEFAULT-VALUE}).")
    private int receiverMillis = 0;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 1;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    /** How many events are of keys that are well at each share. */
    private final Map<Integer, Integer> healthy = new LinkedHashMap<>();

    @Override
    protected void measure() throws Exception {
        events = output.size(events, 5000);
        try (Server server = Server.start()) {
            Database database = server.create("failing");
            SampleEvents samples = new SampleEvents(1, 500, keys);
            database.recordBacklog(events, () -> counted(samples.next()), output);
            Comparison comparison = new Comparison("failing", output, rounds);
            Map<Integer, Side> sides = new LinkedHashMap<>();
            for (int percent : PERCENTS) {
                sides.put(percent, comparison.side("beside" + percent, round -> turn(database, round, percent)));
            }
            comparison.run();
            report(sides);
        }
    }

    private Event counted(Event event) {
        for (int percent : PERCENTS) {
            healthy.merge(percent, FailingSink.isAmong(percent, event) ? 0 : 1, Integer::sum);
        }
        return event;
    }

    private Turn turn(Database database, int round, int percent) {
        FailingSink sink = FailingSink.ofPercent(percent, Duration.ofMillis(receiverMillis));
        Subscription subscription = Subscription.to("of-" + percent + "-" + round, sink)
                .fromBeginning()
                .lanes(lanes)
                .inFlightLimit(inFlight)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofSeconds(30)))
                .build();
        return Draining.drain(database, List.of(subscription), 1, healthy.getOrDefault(percent, 0));
    }

    private void report(Map<Integer, Side> sides) throws IOException {
        Side alone = Objects.requireNonNull(sides.get(0));
        Figures figures = new Figures();
        StringBuilder text =
                new StringBuilder("healthy events/s: %,.0f beside none that fail".formatted(alone.perSecond()));
        double ratio = 1;
        for (Map.Entry<Integer, Side> each : sides.entrySet()) {
            int percent = each.getKey();
            Side side = each.getValue();
            ratio = side.ratio(alone);
            figures.put("perSecondBeside" + percent, side.perSecond())
                    .put("ratioBeside" + percent, ratio)
                    .put("roundsBeside" + percent, side.perSecondOfTurns());
            if (percent > 0) {
                text.append(", %,.0f beside %d %% (%.3f)".formatted(side.perSecond(), percent, ratio));
            }
        }
        figures.put("events", events)
                .put("keys", keys)
                .put("receiverMillis", receiverMillis)
                .put("lanes", lanes)
                .put("inFlightLimit", inFlight);
        output.result("failing", ratio, figures, "%s", text);
    }
}
