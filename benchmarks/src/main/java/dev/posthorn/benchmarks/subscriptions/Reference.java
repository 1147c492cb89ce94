package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/**
 * What one subscription gets when the same deliveries are all for it: events are published while it is paused, and then drained
 * to the same receiver. From the first to the last that came, so that nothing which a resumption takes is in it.
 */
final class Reference {

    private static final String SUBSCRIPTION = "/v1/subscriptions/" + Population.nameOf(0);
    private static final byte[] NO_REASON = new byte[0];
    private static final int BATCH = 1_000;

    private static final Duration LOOK = Duration.ofMillis(100);

    private final CrowdedHub hub;
    private final int deliveries;

    /** @param hub one with a single subscription */
    Reference(CrowdedHub hub, int largestCount, Output output) {
        this.hub = hub;
        // Fewer would be over before the rate is one.
        this.deliveries = Math.max(output.size(20_000, 2_000), AllWant.EVENTS * largestCount);
    }

    /** Deliveries a second, after as many that warm it up. */
    double perSecond() throws Exception {
        drain();
        return drain();
    }

    private double drain() throws Exception {
        Patience.until(LOOK, () -> "the only subscription is not paused", this::pause);
        Deliveries backlog = hub.expect("a backlog for one subscription", deliveries, 1, Wish.EVERYBODY);
        for (byte[] batch : hub.batches(backlog, Population.ALL, BATCH)) {
            hub.calls().publish(batch);
        }
        hub.calls().require(Set.of(200), "POST", SUBSCRIPTION + "/resume", NO_REASON);
        hub.await(backlog);
        return (deliveries - 1) * 1e9 / (backlog.lastAt() - backlog.firstAt());
    }

    private boolean pause() throws IOException, InterruptedException {
        return hub.calls().require(Set.of(200, 202), "POST", SUBSCRIPTION + "/pause", NO_REASON) == 200;
    }
}
