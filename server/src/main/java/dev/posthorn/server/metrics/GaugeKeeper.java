package dev.posthorn.server.metrics;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.rounds.Rounds;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Gauges;
import dev.posthorn.status.LaneState;
import dev.posthorn.status.Lanes;
import dev.posthorn.status.StuckEvent;
import dev.posthorn.status.SubscriptionGauges;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the figures of all subscriptions now and then, so that a scrape only takes what is there: it neither costs the
 * database anything nor waits for it. What is too old is no longer told.
 */
final class GaugeKeeper extends Rounds {

    /** After the database. */
    private static final int PHASE = 1;

    private static final Duration STUCK_FOR = Duration.ofMinutes(30);
    private static final Duration LATENCY_PERIOD = Duration.ofMinutes(5);

    /**
     * How often to read, and for how long to tell.
     *
     * @param slow how often to read what takes longer to find out
     */
    record Timing(Duration interval, Duration slow, Duration keptFor) {

        static final Timing DEFAULT = new Timing(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofSeconds(20));
    }

    private final Database database;
    private final Timing timing;
    private final Gauges gauges;
    private final Lanes lanes;
    private final EventStatuses statuses;
    private final Reading<Map<String, Figures.Current>> current;
    private final Reading<Map<String, Figures.Slow>> slow;
    private final SubscriptionMeters meters;
    private long nextSlowAt = System.nanoTime();
    private volatile boolean lastOneWentWell;

    GaugeKeeper(Database database, MeterRegistry registry, Timing timing) {
        super("posthorn-gauge-keeper", timing.interval(), PHASE);
        this.database = database;
        this.timing = timing;
        this.gauges = new Gauges(database.calls(), database.schema());
        this.lanes = new Lanes(database.calls(), database.schema());
        this.statuses = new EventStatuses(database.calls(), database.schema());
        this.current = new Reading<>(timing.keptFor());
        this.slow = new Reading<>(timing.keptFor().plus(timing.slow()));
        this.meters = new SubscriptionMeters(registry, current, slow);
        Gauge.builder("posthorn.database.up", this, keeper -> keeper.isUp() ? 1 : 0)
                .description("Whether the database answered when the figures were last read")
                .register(registry);
    }

    private boolean isUp() {
        return lastOneWentWell && current.value() != null;
    }

    @Override
    protected void round() {
        if (!database.isReady()) {
            return;
        }
        boolean well = false;
        try {
            read();
            well = true;
        } finally {
            lastOneWentWell = well;
        }
    }

    private void read() {
        List<LaneState> states = lanes.all();
        Map<String, Figures.Current> figures = new LinkedHashMap<>();
        for (SubscriptionGauges each : gauges.all()) {
            figures.put(each.subscription(), Figures.Current.of(each, states));
        }
        current.take(figures);
        if (System.nanoTime() - nextSlowAt >= 0) {
            readSlow(figures.keySet());
            nextSlowAt = System.nanoTime() + timing.slow().toNanos();
        }
        meters.show(figures.keySet());
    }

    private void readSlow(Set<String> subscriptions) {
        List<StuckEvent> stuck = statuses.stuckSending(STUCK_FOR);
        Map<String, Figures.Slow> figures = new LinkedHashMap<>();
        for (String subscription : subscriptions) {
            figures.put(
                    subscription,
                    new Figures.Slow(
                            statuses.averageLatency(subscription, LATENCY_PERIOD)
                                    .orElse(null),
                            Figures.stuck(stuck, subscription)));
        }
        slow.take(figures);
    }
}
