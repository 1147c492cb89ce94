package dev.posthorn.server.guard;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.periodic.PeriodicTask;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts now and then what is in doubt at each guard, so that somebody is told; not a number if it cannot be read. */
final class DoubtGauge extends PeriodicTask {

    private static final Duration INTERVAL = Duration.ofSeconds(5);

    /** After the database. */
    private static final int PHASE = 1;

    private final Database database;
    private final ForwardStore store;
    private final MultiGauge gauge;
    private volatile @Nullable Map<String, Long> counts;

    DoubtGauge(Database database, ForwardStore store, MeterRegistry registry) {
        super("posthorn-doubt-gauge", INTERVAL, PHASE);
        this.database = database;
        this.store = store;
        this.gauge = MultiGauge.builder("posthorn.guard.in.doubt")
                .description("Forwards of which nobody knows whether they arrived")
                .register(registry);
    }

    @Override
    protected void runOnce() {
        if (!database.isReady()) {
            return;
        }
        Map<String, Long> now = null;
        try {
            now = store.inDoubt();
            show(now);
        } finally {
            counts = now;
        }
    }

    private void show(Map<String, Long> now) {
        gauge.register(now.keySet().stream()
                .map(guard -> MultiGauge.Row.of(Tags.of("guard", guard), () -> value(guard)))
                .toList());
    }

    private double value(String guard) {
        Map<String, Long> known = counts;
        return known == null ? Double.NaN : known.getOrDefault(guard, 0L);
    }
}
