package dev.posthorn.benchmarks.http;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.testbed.Server;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast events go to an HTTP receiver, and whether others notice that a receiver hangs, or that many misbehave. */
@Command(
        name = "webhook",
        description = "Drains a backlog to a local HTTP receiver, against bare httpclient5; then 20 subscriptions of"
                + " which one hangs, against the same 20 without that; then 1,000 sinks of which 50 misbehave, against the"
                + " healthy ones alone.")
public final class Webhook extends Benchmark {

    @Mixin
    private final WebhookRate rate = new WebhookRate();

    @Mixin
    private final WebhookIsolation isolation = new WebhookIsolation();

    @Mixin
    private final WebhookCrowd crowd = new WebhookCrowd();

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 200;

    @Override
    protected void measure() throws Exception {
        try (Server server = Server.start()) {
            WebhookRate.WebhookRates rates = rate.measure(server, size, output);
            WebhookIsolation.Isolation phases = isolation.measure(server, size, output);
            report(rates, phases, crowd.measure(size, output));
        }
    }

    private void report(WebhookRate.WebhookRates rates, WebhookIsolation.Isolation phases, WebhookCrowd.Crowd crowded)
            throws IOException {
        Figures figures = rate.figures(rates)
                .put("payloadBytes", size)
                .put("isolation", isolation.figures(phases))
                .put("crowd", crowd.figures(crowded));
        output.result(
                "webhook",
                Math.min(rates.loopRatio(), rates.chainRatio()),
                figures,
                "ours %,.0f deliveries/s, bare loop %,.0f requests/s, ratio %.3f, bare chain %,.0f, ratio %.3f; beside a"
                        + " subscription that hangs the other 19 keep %.3f of their throughput and have %.3f times"
                        + " their p99; beside sinks that misbehave the healthy ones of a crowd keep %.3f of their"
                        + " throughput and have %.3f times their p99",
                rates.ours().perSecond(),
                rates.loopPerSecond(),
                rates.loopRatio(),
                rates.chainPerSecond(),
                rates.chainRatio(),
                phases.throughputRatio(),
                phases.p99Ratio(),
                crowded.throughputRatio(),
                crowded.p99Ratio());
    }
}
