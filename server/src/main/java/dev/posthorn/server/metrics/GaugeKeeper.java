package dev.posthorn.server.metrics;

import dev.posthorn.metrics.ShownSubscriptions;
import dev.posthorn.metrics.SubscriptionFigures;
import dev.posthorn.metrics.SubscriptionMetrics;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.periodic.PeriodicTask;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

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

    /** A reading that takes long is made rarely: the pause after it is this many times as long, within {@link #longestPause}. */
    private static final int SHARE = 50;

    /** Whoever opens the console wants the figures as soon as there is a database. */
    private static final Duration SOON = Duration.ofMillis(100);

    private final Database database;
    private final SubscriptionMetrics metrics;
    private final long longestPause;
    private long nextAt = System.nanoTime();

    GaugeKeeper(
            Database database,
            MeterRegistry registry,
            ShownSubscriptions shown,
            Timing timing,
            Consumer<List<SubscriptionFigures>> reader) {
        super("posthorn-gauge-keeper", timing.interval(), PHASE);
        this.database = database;
        this.longestPause = timing.keptFor().toNanos() / 2;
        this.metrics = SubscriptionMetrics.builder(database.calls(), registry)
                .schema(database.schema())
                .slowInterval(timing.slow())
                .keptFor(timing.keptFor())
                .shown(shown)
                .reader(reader)
                .build();
    }

    @Override
    protected void runOnce() {
        while (!database.isReady()) {
            if (pause(SOON)) {
                return;
            }
        }
        if (System.nanoTime() - nextAt >= 0) {
            long begun = System.nanoTime();
            metrics.read();
            long took = System.nanoTime() - begun;
            nextAt = System.nanoTime() + Math.min(longestPause, SHARE * took);
        }
    }
}
