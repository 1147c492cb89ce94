package dev.posthorn.server.metrics;

import dev.posthorn.metrics.SubscriptionMetrics;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.periodic.PeriodicTask;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;

/** Has the figures of all subscriptions read now and then. */
final class GaugeKeeper extends PeriodicTask {

    /** After the database. */
    private static final int PHASE = 1;

    /**
     * How often to read, and for how long to tell.
     *
     * @param slow how often to read what takes longer to find out
     */
    record Timing(Duration interval, Duration slow, Duration keptFor) {

        static final Timing DEFAULT =
                new Timing(SubscriptionMetrics.INTERVAL, Duration.ofMinutes(1), Duration.ofSeconds(20));
    }

    private final Database database;
    private final SubscriptionMetrics metrics;

    GaugeKeeper(Database database, MeterRegistry registry, Timing timing) {
        super("posthorn-gauge-keeper", timing.interval(), PHASE);
        this.database = database;
        this.metrics = SubscriptionMetrics.builder(database.calls(), registry)
                .schema(database.schema())
                .slowInterval(timing.slow())
                .keptFor(timing.keptFor())
                .build();
    }

    @Override
    protected void runOnce() {
        if (database.isReady()) {
            metrics.read();
        }
    }
}
