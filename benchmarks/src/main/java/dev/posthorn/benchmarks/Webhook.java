package dev.posthorn.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast events go to an HTTP receiver, and whether subscriptions notice that another's receiver hangs. */
@Command(
        name = "webhook",
        mixinStandardHelpOptions = true,
        description = "Drains a backlog to a local HTTP receiver, against bare httpclient5; then 20 subscriptions of"
                + " which one hangs, against the same 20 without that.")
final class Webhook implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 100_000;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 200;

    @Option(names = "--concurrency", description = "Requests under way at a time, of both sides (${DEFAULT-VALUE}).")
    private int concurrency = 64;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 4;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 1;

    @Option(names = "--rounds", description = "Rounds of each side, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--warm-ups", description = "Rounds of each side before (${DEFAULT-VALUE}).")
    private int warmUps = 3;

    @Option(names = "--isolation-events", description = "Backlog of the 20 subscriptions (${DEFAULT-VALUE}).")
    private int isolationEvents = 40_000;

    @Option(names = "--rate", description = "Live events per second to the 20 subscriptions (${DEFAULT-VALUE}).")
    private int rate = 400;

    @Option(names = "--seconds", description = "How long live events are measured in a phase (${DEFAULT-VALUE}).")
    private int seconds = 15;

    @Option(names = "--phases", description = "Phases with and without the hanging one (${DEFAULT-VALUE}).")
    private int phases = 5;

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        WebhookRate delivery = new WebhookRate(
                new WebhookRate.Sizes(
                        output.size(events, 5000),
                        size,
                        concurrency,
                        lanes,
                        workers,
                        output.size(rounds, 1),
                        output.size(warmUps, 1)),
                output);
        WebhookIsolation isolation = new WebhookIsolation(
                new WebhookIsolation.Sizes(
                        output.size(isolationEvents, 2000),
                        size,
                        rate,
                        output.size(seconds, 1),
                        output.size(3, 0),
                        output.size(phases, 1)),
                output);
        try (Server server = Server.start()) {
            delivery.measure(server);
            isolation.measure(server);
        }
        report(delivery, isolation);
        return 0;
    }

    private void report(WebhookRate delivery, WebhookIsolation isolation) throws IOException {
        Map<String, Object> figures = new LinkedHashMap<>(delivery.figures());
        figures.put("isolation", isolation.figures());
        output.result(
                new Result("webhook", Math.min(delivery.loopRatio(), delivery.chainRatio()), figures),
                "ours %,.0f deliveries/s, bare loop %,.0f requests/s, ratio %.3f, bare chain %,.0f, ratio %.3f; beside a"
                        + " subscription that hangs the other 19 keep %.3f of their throughput and have %.3f times"
                        + " their p99",
                delivery.oursPerSecond(),
                delivery.loopPerSecond(),
                delivery.loopRatio(),
                delivery.chainPerSecond(),
                delivery.chainRatio(),
                isolation.throughputRatio(),
                isolation.p99Ratio());
    }
}
