package dev.posthorn.benchmarks.testbed;

import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.relay.OwnedLane;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs a relay until it has delivered a backlog. */
public final class Draining {

    /** Oftener, and looking itself would take a few per cent of what is measured. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final double PATIENCE_SECONDS = 60;

    private Draining() {}

    public static Relay start(Database database, List<Subscription> subscriptions, int workers) {
        Relay.Builder builder = Relay.builder(database.dataSource()).workers(workers);
        subscriptions.forEach(builder::subscribe);
        return builder.start();
    }

    /** Deliveries a second, from the relay's start until the sink had acknowledged the last. */
    public static Turn drain(Database database, List<Subscription> subscriptions, int workers, long deliveries) {
        Stopwatch watch = new Stopwatch();
        try (Relay relay = start(database, subscriptions, workers)) {
            await(relay, deliveries);
            return watch.perSecond(deliveries);
        }
    }

    /** Makes the subscriptions known to the log, each with its start at this moment. */
    public static void register(Database database, List<Subscription> subscriptions) {
        start(database, subscriptions, 1).close();
    }

    /** Until so many were delivered. */
    public static void await(Relay relay, long deliveries) {
        long delivered = 0;
        Stopwatch standing = new Stopwatch();
        while (delivered < deliveries) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = delivered(relay);
            if (now > delivered) {
                delivered = now;
                standing = new Stopwatch();
            } else if (standing.seconds() > PATIENCE_SECONDS) {
                throw new IllegalStateException("The relay stands still after " + delivered + " of " + deliveries
                        + " deliveries; the log above says why");
            }
        }
    }

    public static long delivered(Relay relay) {
        return relay.lanes().stream().mapToLong(OwnedLane::delivered).sum();
    }
}
