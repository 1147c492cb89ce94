package dev.posthorn.benchmarks;

import dev.posthorn.benchmarks.console.ConsoleCalls;
import dev.posthorn.benchmarks.http.Webhook;
import dev.posthorn.benchmarks.hub.Ingest;
import dev.posthorn.benchmarks.kafka.Drain;
import dev.posthorn.benchmarks.kafka.Inbox;
import dev.posthorn.benchmarks.kafka.Latency;
import dev.posthorn.benchmarks.log.Flat;
import dev.posthorn.benchmarks.log.Write;
import dev.posthorn.benchmarks.relay.Failing;
import dev.posthorn.benchmarks.relay.Hold;
import dev.posthorn.benchmarks.relay.Retry;
import dev.posthorn.benchmarks.relay.Scale;
import dev.posthorn.benchmarks.replay.Replay;
import dev.posthorn.benchmarks.subscriptions.Subscriptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program behind {@code posthorn bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures Posthorn on this machine, beside a reference written by hand.",
        subcommands = {
            Drain.class,
            Latency.class,
            Write.class,
            Flat.class,
            Scale.class,
            Hold.class,
            Failing.class,
            Retry.class,
            Replay.class,
            Webhook.class,
            Inbox.class,
            Ingest.class,
            Subscriptions.class,
            ConsoleCalls.class
        })
public final class Bench {

    private Bench() {}

    public static void main(String[] args) {
        System.exit(run(args));
    }

    static int run(String... args) {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args);
    }
}
