package dev.posthorn.benchmarks;

import dev.posthorn.relay.Lane;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Runs a relay until it has delivered a backlog. */
final class Draining {

    /** Oftener, and looking itself would take a few per cent of what is measured. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LONG_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final double PATIENCE_SECONDS = 60;

    private Draining() {}

    /** How many seconds it took from the relay's start until the sink had acknowledged the last event. */
    static double seconds(DataSource dataSource, List<Subscription> subscriptions, int workers, long deliveries) {
        Relay.Builder builder = Relay.builder(dataSource).workers(workers);
        subscriptions.forEach(builder::subscribe);
        long started = System.nanoTime();
        try (Relay relay = builder.start()) {
            await(relay, deliveries);
            return Figures.secondsSince(started);
        }
    }

    /** Makes the subscriptions known to the log, each with its start at this moment. */
    static void register(DataSource dataSource, List<Subscription> subscriptions) {
        seconds(dataSource, subscriptions, 1, 0);
    }

    /** Something that becomes true. */
    interface Condition {
        boolean holds() throws SQLException;
    }

    /** Runs a relay until something has become of it. */
    static void until(DataSource dataSource, List<Subscription> subscriptions, int workers, Condition condition)
            throws SQLException {
        Relay.Builder builder = Relay.builder(dataSource).workers(workers);
        subscriptions.forEach(builder::subscribe);
        long started = System.nanoTime();
        Relay relay = builder.start();
        try (relay) {
            while (!condition.holds()) {
                if (Figures.secondsSince(started) > PATIENCE_SECONDS) {
                    throw new IllegalStateException("The relay does not come there; the log above says why");
                }
                LockSupport.parkNanos(LONG_LOOK_NANOS);
            }
        }
    }

    /** Until the relay owns so many lanes. */
    static void awaitLanes(Relay relay, int lanes) {
        long started = System.nanoTime();
        while (relay.lanes().size() < lanes) {
            if (Figures.secondsSince(started) > PATIENCE_SECONDS) {
                throw new IllegalStateException(
                        "The relay has " + relay.lanes().size() + " of " + lanes + " lanes; the log above says why");
            }
            LockSupport.parkNanos(LONG_LOOK_NANOS);
        }
    }

    /** Until so many were delivered. */
    static void await(Relay relay, long deliveries) {
        long delivered = 0;
        long lastProgress = System.nanoTime();
        while (delivered < deliveries) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = delivered(relay);
            if (now > delivered) {
                delivered = now;
                lastProgress = System.nanoTime();
            } else if (Figures.secondsSince(lastProgress) > PATIENCE_SECONDS) {
                throw new IllegalStateException("The relay stands still after " + delivered + " of " + deliveries
                        + " deliveries; the log above says why");
            }
        }
    }

    static long delivered(Relay relay) {
        long sum = 0;
        for (Lane lane : relay.lanes()) {
            sum += lane.counters().delivered();
        }
        return sum;
    }
}
