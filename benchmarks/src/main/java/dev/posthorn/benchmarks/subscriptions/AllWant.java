package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Turn;
import java.io.IOException;
import java.util.List;

/** Events that all want: single ones, from publishing until the last has it, and then many as fast as the hub takes them. */
final class AllWant {

    /** How many are published as fast as the hub takes them. */
    static final int EVENTS = 20;

    private static final int SINGLES = 3;

    private final CrowdedHub hub;
    private final int events;

    AllWant(CrowdedHub hub, Output output) {
        this.hub = hub;
        this.events = output.size(EVENTS, 5);
    }

    Turn measure() throws IOException, InterruptedException {
        double slowest = 0;
        double sum = 0;
        for (int i = 0; i < SINGLES; i++) {
            double millis = hub.awaitAll("a single event for all");
            slowest = Math.max(slowest, millis);
            sum += millis;
        }
        return Turn.of("allLastMillis", sum / SINGLES)
                .and("allSlowestMillis", slowest)
                .and("allPerSecond", perSecond());
    }

    private double perSecond() throws IOException, InterruptedException {
        Deliveries phase =
                hub.expect(events + " events for all", events, hub.population().count(), Wish.EVERYBODY);
        List<byte[]> bodies = hub.events(phase, i -> Population.ALL);
        long from = System.nanoTime();
        for (byte[] body : bodies) {
            hub.calls().publish(body);
        }
        hub.await(phase);
        return phase.count() * 1e9 / (phase.lastAt() - from);
    }
}
