package dev.posthorn.benchmarks.http;

import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.ChildProgram;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.event.Event;
import dev.posthorn.http.HttpSink;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How fast a backlog goes to a receiver that answers at once, against the bare client in both ways of using it: from a
 * loop, as ours has to because events come from elsewhere, and as a chain.
 */
final class WebhookRate {

    private static final int KEYS = 20_000;
    private static final String LOOP = "loopPerSecond";
    private static final String CHAIN = "chainPerSecond";

    @Mixin
    private final Rounds rounds = new Rounds(5, 3);

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 100_000;

    @Option(names = "--concurrency", description = "Requests under way at a time, of both sides (${DEFAULT-VALUE}).")
    private int concurrency = 64;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 4;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 1;

    /** What came of it. */
    record WebhookRates(Side ours, Side bare) {

        double loopPerSecond() {
            return bare.median(LOOP);
        }

        double chainPerSecond() {
            return bare.median(CHAIN);
        }

        double loopRatio() {
            return ours.perSecond() / loopPerSecond();
        }

        double chainRatio() {
            return ours.perSecond() / chainPerSecond();
        }
    }

    /** @param size bytes of an event's payload */
    WebhookRates measure(Server server, int size, Output output) throws Exception {
        events = output.size(events, 5000);
        Database database = server.create("webhook");
        database.recordBacklog(events, new SampleEvents(1, size, KEYS)::next, output);
        List<Event> samples = Stream.generate(new SampleEvents(2, size, KEYS)::next)
                .limit(KEYS)
                .toList();
        Comparison comparison = new Comparison("webhook", output, rounds);
        try (ChildProgram receiver = WebhookReceiver.startProcess()) {
            int port = Integer.parseInt(receiver.awaitLine("ready "));
            Side ours = comparison.side("ours", round -> ours(database, port, round));
            Side bare = comparison.side("bare", round -> bare(samples, port));
            comparison.run();
            server.drop("webhook");
            return new WebhookRates(ours, bare);
        }
    }

    private Turn ours(Database database, int port, int round) {
        HttpSink sink = WebhookReceiver.sink(port, "/").concurrency(concurrency).build();
        Subscription subscription = Subscription.to("round-" + round, sink)
                .fromBeginning()
                .lanes(lanes)
                .build();
        return Draining.drain(database, List.of(subscription), workers, events);
    }

    private Turn bare(List<Event> samples, int port) throws InterruptedException {
        try (BareClient client = new BareClient(port, concurrency)) {
            return Turn.of(LOOP, client.loopPerSecond(samples, events))
                    .and(CHAIN, client.chainPerSecond(samples, events));
        }
    }

    Figures figures(WebhookRates rates) {
        return new Figures()
                .rates(rates.ours)
                .put(LOOP, rates.loopPerSecond())
                .put(CHAIN, rates.chainPerSecond())
                .put("loopRatio", rates.loopRatio())
                .put("chainRatio", rates.chainRatio())
                .put("loopRounds", rates.bare.turns(LOOP))
                .put("chainRounds", rates.bare.turns(CHAIN))
                .put("events", events)
                .put("concurrency", concurrency)
                .put("lanes", lanes)
                .put("workers", workers);
    }
}
