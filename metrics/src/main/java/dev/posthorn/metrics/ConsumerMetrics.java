package dev.posthorn.metrics;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts what the consumers of this instance do, and tells how far they are behind. */
public final class ConsumerMetrics implements ConsumerListener {

    private final MeterRegistry registry;
    private final Map<String, Lag> lags = new ConcurrentHashMap<>();

    public ConsumerMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void processed(String consumer, int events) {
        count("posthorn.consumer.processed", consumer, events);
    }

    @Override
    public void duplicates(String consumer, int events) {
        count("posthorn.consumer.duplicates", consumer, events);
    }

    @Override
    public void retried(String consumer, Event event, int attempts, Throwable failure, Duration delay) {
        count("posthorn.consumer.retried", consumer, 1);
    }

    @Override
    public void deadLettered(String consumer, Event event, int attempts, Throwable failure) {
        count("posthorn.consumer.dead.lettered", consumer, 1);
    }

    private void count(String name, String consumer, int events) {
        registry.counter(name, "consumer", consumer).increment(events);
    }

    /** A partition that is no longer named is no longer told. */
    @Override
    public void lag(String consumer, Map<Partition, Long> records) {
        lags.computeIfAbsent(consumer, this::lagOf).tell(records);
    }

    private Lag lagOf(String consumer) {
        return new Lag(MultiGauge.builder("posthorn.consumer.lag")
                .description("Records of a partition that are not done yet")
                .tag("consumer", consumer)
                .register(registry));
    }

    /** Of one consumer. */
    private static final class Lag {

        private final MultiGauge gauge;
        private volatile Map<Partition, Long> last = Map.of();

        Lag(MultiGauge gauge) {
            this.gauge = gauge;
        }

        /** The rows are made anew only if there are others. */
        void tell(Map<Partition, Long> records) {
            boolean others = !records.keySet().equals(last.keySet());
            last = Map.copyOf(records);
            if (others) {
                gauge.register(last.keySet().stream().map(this::row).toList());
            }
        }

        private MultiGauge.Row<?> row(Partition partition) {
            Tags tags = Tags.of("topic", partition.topic(), "partition", Integer.toString(partition.number()));
            return MultiGauge.Row.of(tags, () -> value(partition));
        }

        private double value(Partition partition) {
            Long value = last.get(partition);
            return value == null ? Double.NaN : value;
        }
    }
}
