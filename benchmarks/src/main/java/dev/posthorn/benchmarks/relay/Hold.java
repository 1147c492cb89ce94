package dev.posthorn.benchmarks.relay;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether the other keys notice that one of them is stuck, with a long queue behind it. */
@Command(
        name = "hold",
        description = "Drain while one key, whose first event keeps failing, holds back many; against the same drain"
                + " without that key.")
public final class Hold extends Benchmark {

    private static final String STUCK = "stuck";

    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(50);

    private static final String WAITING = """
            SELECT count(*) FROM posthorn.delivery d JOIN posthorn.lane l ON l.id = d.lane_id
              JOIN posthorn.subscription s ON s.id = l.subscription_id WHERE s.name = ?
            """;

    @Mixin
    private final Rounds rounds = new Rounds(5, 1);

    @Option(names = "--held", description = "Events held behind the failing one (${DEFAULT-VALUE}).")
    private int held = 100_000;

    @Option(names = "--events", description = "Events of other keys to drain (${DEFAULT-VALUE}).")
    private int events = 300_000;

    @Option(names = "--batch-size", description = "Events of one read (${DEFAULT-VALUE}).")
    private int batchSize = 1000;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    protected void measure() throws Exception {
        held = output.size(held, 2000);
        events = output.size(events, 5000);
        try (Server server = Server.start()) {
            Database free = server.create("free");
            Database blocked = server.create("blocked");
            Comparison comparison = new Comparison("hold", output, rounds);
            List<Subscription> subscriptions = IntStream.range(0, comparison.rounds())
                    .mapToObj(this::subscription)
                    .toList();
            Draining.register(free, subscriptions);
            block(blocked, subscriptions);
            for (Database database : List.of(free, blocked)) {
                database.recordBacklog(events, new SampleEvents(1, 500, 5000)::next, output);
            }
            Side without = comparison.side("without", round -> turn(free, round));
            Side beside = comparison.side("besideStuckKey", round -> turn(blocked, round));
            comparison.run();
            report(without, beside);
        }
    }

    private Subscription subscription(int round) {
        return Subscription.to("round-" + round, FailingSink.ofKey(STUCK))
                .lanes(1)
                .batchSize(batchSize)
                .inFlightLimit(inFlight)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, RETRY_DELAY))
                // With nothing but the stuck key to send, its failures would look like a receiver that is down.
                .breakerAfter(Integer.MAX_VALUE)
                .build();
    }

    /** Records the stuck key's events and lets every round's subscription run into them. */
    private void block(Database database, List<Subscription> subscriptions) throws Exception {
        Draining.register(database, subscriptions);
        SampleEvents samples = new SampleEvents(2, 500, 1);
        database.record(held + 1, () -> samples.builder(0).key(STUCK).build());
        for (Subscription subscription : subscriptions) {
            Relay relay = Draining.start(database, List.of(subscription), 1);
            try (relay) {
                Patience.until(
                        LOOK,
                        () -> subscription.name() + " does not hold the stuck key's events",
                        () -> database.number(WAITING, subscription.name()) > held);
            }
            output.progress("%s holds %,d events", subscription.name(), held);
        }
    }

    private Turn turn(Database database, int round) {
        return Draining.drain(database, List.of(subscription(round)), 1, events);
    }

    private void report(Side without, Side beside) throws IOException {
        Figures figures = new Figures()
                .rates(beside, without)
                .put("held", held)
                .put("events", events)
                .put("batchSize", batchSize)
                .put("inFlightLimit", inFlight);
        output.result(
                "hold",
                beside.ratio(without),
                figures,
                "%,.0f events/s beside a key that holds %,d events, %,.0f without it, ratio %.3f",
                beside.perSecond(),
                held,
                without.perSecond(),
                beside.ratio(without));
    }
}
