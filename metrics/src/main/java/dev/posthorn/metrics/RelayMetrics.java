package dev.posthorn.metrics;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what this instance's relay does: for all subscriptions together, and for each that is shown. One that is not shown
 * any more loses its counters, and begins with new ones if it comes back.
 */
public final class RelayMetrics implements RelayListener {

    private static final String PREFIX = "posthorn.";
    private static final String ALL = PREFIX + "all.";

    private final MeterRegistry registry;
    private final ShownSubscriptions shown;
    private final Map<String, Map<Tally, Counter>> counters = new ConcurrentHashMap<>();

    /** Shows all subscriptions. */
    public RelayMetrics(MeterRegistry registry) {
        this(registry, new ShownSubscriptions(PerSubscription.ALL));
    }

    public RelayMetrics(MeterRegistry registry, ShownSubscriptions shown) {
        this.registry = registry;
        this.shown = shown;
        shown.whenHidden(this::hide);
    }

    /** What is counted, besides of which subscription. */
    private record Tally(String name, Tags tags) {}

    @Override
    public void delivered(String subscription, String lane, int events) {
        count("delivered", subscription, events);
        attempts(subscription, "delivered", events);
    }

    @Override
    public void retried(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, Duration delay) {
        attempts(subscription, outcome(failure), 1);
    }

    @Override
    public void deadLettered(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, boolean holdsKey) {
        attempts(subscription, outcome(failure), 1);
        count("dead.lettered", subscription, 1);
    }

    /** The answer that paused it counts for no event, so nothing else tells of it. */
    @Override
    public void paused(String subscription, String reason) {
        attempts(subscription, "gone", 1);
    }

    @Override
    public void breakerOpened(String subscription, String lane, String reason) {
        count("breaker.opened", subscription, 1);
    }

    @Override
    public void denialBegan(String subscription, String lane, String reason) {
        count("denial.began", subscription, 1);
    }

    @Override
    public void leaseLost(String subscription, String lane, int inFlight) {
        count("leases.lost", subscription, 1);
    }

    @Override
    public void retentionHeld(String subscription, Duration age, long events) {
        count("retention.held", subscription, 1);
    }

    @Override
    public void overtaken(String subscription, RecordedEvent event) {
        count("overtaken", subscription, 1);
    }

    private void attempts(String subscription, String outcome, int count) {
        shown.tried(subscription, count);
        count(new Tally("attempts", Tags.of("outcome", outcome)), subscription, count);
    }

    private void count(String name, String subscription, int count) {
        count(new Tally(name, Tags.empty()), subscription, count);
    }

    private void count(Tally tally, String subscription, int count) {
        registry.counter(ALL + tally.name(), tally.tags()).increment(count);
        Map<Tally, Counter> its = counters.get(subscription);
        Counter counter = its == null ? null : its.get(tally);
        if (counter == null) {
            counter = added(tally, subscription);
        }
        if (counter != null) {
            counter.increment(count);
        }
    }

    /** Looks while nobody hides it: afterwards its counters would stay. */
    private @Nullable Counter added(Tally tally, String subscription) {
        Map<Tally, Counter> its = counters.compute(subscription, (name, known) -> {
            if (!shown.isShown(name)) {
                return known;
            }
            Map<Tally, Counter> more = known == null ? new ConcurrentHashMap<>() : known;
            more.computeIfAbsent(
                    tally,
                    any -> registry.counter(PREFIX + tally.name(), tally.tags().and("subscription", name)));
            return more;
        });
        return its == null ? null : its.get(tally);
    }

    private void hide(String subscription) {
        counters.computeIfPresent(subscription, (name, its) -> {
            its.values().forEach(registry::remove);
            return null;
        });
    }

    private static String outcome(Outcome.Failure failure) {
        return failure.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }
}
