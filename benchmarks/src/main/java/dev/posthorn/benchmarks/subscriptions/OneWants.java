package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Percentiles;
import dev.posthorn.benchmarks.harness.Turn;
import java.io.IOException;
import java.util.stream.IntStream;

/** From publishing an event that one of the subscriptions wants until that has it, each after the last one has come. */
final class OneWants {

    private final CrowdedHub hub;
    private final int events;
    private final int warmUps;

    OneWants(CrowdedHub hub, Output output) {
        this.hub = hub;
        this.events = output.size(200, 20);
        this.warmUps = output.size(50, 5);
    }

    Turn measure() throws IOException, InterruptedException {
        for (int i = 0; i < warmUps; i++) {
            nanos();
        }
        long[] nanos = new long[events];
        for (int i = 0; i < events; i++) {
            nanos[i] = nanos();
        }
        Percentiles percentiles = Percentiles.between(IntStream.range(0, events), i -> 0, i -> nanos[i]);
        return Turn.of("oneP50Millis", percentiles.p50()).and("oneP99Millis", percentiles.p99());
    }

    private long nanos() throws IOException, InterruptedException {
        int wanting = hub.random().nextInt(hub.population().count());
        String what = "an event for " + Population.nameOf(wanting);
        Deliveries one = hub.expect(what, 1, 1, (event, subscription) -> subscription == wanting);
        byte[] event = hub.events(one, i -> Population.typeOf(wanting)).get(0);
        long from = System.nanoTime();
        hub.calls().publish(event);
        hub.await(one);
        return one.lastAt() - from;
    }
}
