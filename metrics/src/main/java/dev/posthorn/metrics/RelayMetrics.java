package dev.posthorn.metrics;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;

/** Counts what this instance's relay does. */
public final class RelayMetrics implements RelayListener {

    private final MeterRegistry registry;

    public RelayMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void delivered(String subscription, String lane, int events) {
        count("posthorn.delivered", subscription, events);
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
        count("posthorn.dead.lettered", subscription, 1);
    }

    /** The answer that paused it counts for no event, so nothing else tells of it. */
    @Override
    public void paused(String subscription, String reason) {
        attempts(subscription, "gone", 1);
    }

    @Override
    public void breakerOpened(String subscription, String lane, String reason) {
        count("posthorn.breaker.opened", subscription, 1);
    }

    @Override
    public void denialBegan(String subscription, String lane, String reason) {
        count("posthorn.denial.began", subscription, 1);
    }

    @Override
    public void leaseLost(String subscription, String lane, int inFlight) {
        count("posthorn.leases.lost", subscription, 1);
    }

    @Override
    public void retentionHeld(String subscription, Duration age, long events) {
        count("posthorn.retention.held", subscription, 1);
    }

    @Override
    public void overtaken(String subscription, RecordedEvent event) {
        count("posthorn.overtaken", subscription, 1);
    }

    private void attempts(String subscription, String outcome, int count) {
        registry.counter("posthorn.attempts", "subscription", subscription, "outcome", outcome)
                .increment(count);
    }

    private void count(String name, String subscription, int count) {
        registry.counter(name, "subscription", subscription).increment(count);
    }

    private static String outcome(Outcome.Failure failure) {
        return failure.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }
}
