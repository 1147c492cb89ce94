package dev.posthorn.benchmarks.replay;

import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import picocli.CommandLine.Option;

/** The events and subscriptions of both parts. */
final class ReplaySetup {

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 5000;

    @Option(names = "--lanes", description = "Lanes of a subscription (${DEFAULT-VALUE}).")
    private int lanes = 4;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 2;

    SampleEvents samples(long seed) {
        return new SampleEvents(seed, size, keys);
    }

    int lanes() {
        return lanes;
    }

    Relay start(Database database, String name, Sink sink) {
        Subscription subscription =
                Subscription.to(name, sink).fromBeginning().lanes(lanes).build();
        return Draining.start(database, List.of(subscription), workers);
    }

    Figures figures() {
        return new Figures()
                .put("payloadBytes", size)
                .put("keys", keys)
                .put("lanes", lanes)
                .put("workers", workers);
    }
}
