package dev.posthorn.metrics;

import dev.posthorn.log.SchemaName;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Gauges;
import dev.posthorn.status.Lanes;
import dev.posthorn.status.Latency;
import dev.posthorn.status.StuckEvent;
import dev.posthorn.status.SubscriptionGauges;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The figures of all subscriptions as gauges. They are read when {@link #read()} is called, every few seconds, so that a
 * scrape only takes what is there: it neither costs the database anything nor waits for it. What is too old is no longer
 * told.
 */
public final class SubscriptionMetrics {

    /** How often to call {@link #read()}. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Duration STUCK_FOR = Duration.ofMinutes(30);
    private static final Duration LATENCY_PERIOD = Duration.ofMinutes(5);

    /** What it takes to find out is the greater part of a reading. */
    private static final int MOST_LATENCIES = 1_000;

    private final Duration slowInterval;
    private final Gauges gauges;
    private final Lanes lanes;
    private final EventStatuses statuses;
    private final Reading<Map<String, Figures.Current>> current;
    private final Reading<Map<String, Figures.Slow>> slow;
    private final SubscriptionMeters meters;
    private final ShownSubscriptions shown;
    private final Consumer<List<SubscriptionFigures>> reader;
    private long nextSlowAt = System.nanoTime();
    private volatile boolean lastOneWentWell;

    private SubscriptionMetrics(Builder builder) {
        this.slowInterval = builder.slowInterval;
        this.gauges = new Gauges(builder.dataSource, builder.schema);
        this.lanes = new Lanes(builder.dataSource, builder.schema);
        this.statuses = new EventStatuses(builder.dataSource, builder.schema);
        this.current = new Reading<>(builder.keptFor);
        this.slow = new Reading<>(builder.keptFor.plus(slowInterval));
        this.shown = builder.shown;
        this.reader = builder.reader;
        this.meters = new SubscriptionMeters(builder.registry, current, slow);
        Gauge.builder("posthorn.database.up", this, metrics -> metrics.isUp() ? 1 : 0)
                .description("Whether the database answered when the figures were last read")
                .register(builder.registry);
    }

    public static Builder builder(DataSource dataSource, MeterRegistry registry) {
        return new Builder(dataSource, registry);
    }

    private boolean isUp() {
        return lastOneWentWell && current.value() != null;
    }

    /** Reads the figures. What PostgreSQL refuses is thrown, and told by {@code posthorn.database.up}. */
    public synchronized void read() {
        boolean well = false;
        try {
            readCurrent();
            well = true;
        } finally {
            lastOneWentWell = well;
        }
    }

    private void readCurrent() {
        Map<String, Lanes.LaneCount> counts = lanes.counts();
        Map<String, Figures.Current> figures = new LinkedHashMap<>();
        for (SubscriptionGauges each : gauges.all()) {
            Lanes.LaneCount count = counts.getOrDefault(each.subscription(), Lanes.LaneCount.NONE);
            figures.put(each.subscription(), new Figures.Current(each, count.lanes(), count.owned()));
        }
        current.take(figures);
        if (System.nanoTime() - nextSlowAt >= 0) {
            readSlow(figures.keySet());
            nextSlowAt = System.nanoTime() + slowInterval.toNanos();
        }
        Map<String, Double> troubles = new HashMap<>();
        figures.forEach((name, each) -> troubles.put(name, each.trouble()));
        meters.show(shown.choose(troubles));
        reader.accept(figures.values().stream().map(this::told).toList());
    }

    private SubscriptionFigures told(Figures.Current each) {
        Figures.Slow slower = Figures.of(slow, each.gauges().subscription());
        return new SubscriptionFigures(
                each.gauges(),
                each.lanes(),
                each.owned(),
                slower == null ? null : slower.latency(),
                slower == null ? 0 : slower.stuck());
    }

    private void readSlow(Set<String> subscriptions) {
        Map<String, Long> stuck = statuses.stuckSending(STUCK_FOR).stream()
                .collect(Collectors.groupingBy(StuckEvent::subscription, Collectors.counting()));
        Map<String, Latency> latencies = statuses.averageLatencies(LATENCY_PERIOD, MOST_LATENCIES);
        Map<String, Figures.Slow> figures = new LinkedHashMap<>();
        for (String subscription : subscriptions) {
            figures.put(
                    subscription, new Figures.Slow(latencies.get(subscription), stuck.getOrDefault(subscription, 0L)));
        }
        slow.take(figures);
    }

    /** Settings; all have defaults. */
    public static final class Builder {

        private final DataSource dataSource;
        private final MeterRegistry registry;
        private SchemaName schema = SchemaName.DEFAULT;
        private Duration slowInterval = Duration.ofMinutes(1);
        private Duration keptFor = Duration.ofSeconds(20);
        private Consumer<List<SubscriptionFigures>> reader = figures -> {};
        private ShownSubscriptions shown = new ShownSubscriptions(PerSubscription.ALL);

        private Builder(DataSource dataSource, MeterRegistry registry) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
            this.registry = Objects.requireNonNull(registry, "registry");
        }

        public Builder schema(SchemaName schema) {
            this.schema = Objects.requireNonNull(schema, "schema");
            return this;
        }

        /** How often to read what takes longer to find out. Left out: every minute. */
        public Builder slowInterval(Duration slowInterval) {
            this.slowInterval = Objects.requireNonNull(slowInterval, "slowInterval");
            return this;
        }

        /** How long to tell what was read. Left out: 20 seconds. */
        public Builder keptFor(Duration keptFor) {
            this.keptFor = Objects.requireNonNull(keptFor, "keptFor");
            return this;
        }

        /** Which subscriptions have series of their own. Left out: all. */
        public Builder shown(ShownSubscriptions shown) {
            this.shown = Objects.requireNonNull(shown, "shown");
            return this;
        }

        /** Gets what was read too, of all subscriptions, by name. */
        public Builder reader(Consumer<List<SubscriptionFigures>> reader) {
            this.reader = Objects.requireNonNull(reader, "reader");
            return this;
        }

        public SubscriptionMetrics build() {
            return new SubscriptionMetrics(this);
        }
    }
}
