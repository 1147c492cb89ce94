package dev.posthorn.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A gauge of each kind for each subscription. All take their values from the last reading when they are scraped. */
final class SubscriptionMeters {

    private final MeterRegistry registry;
    private final Reading<Map<String, Figures.Current>> current;
    private final Reading<Map<String, Figures.Slow>> slow;
    private final Map<MultiGauge, ToDoubleFunction<String>> meters = new LinkedHashMap<>();

    SubscriptionMeters(
            MeterRegistry registry,
            Reading<Map<String, Figures.Current>> current,
            Reading<Map<String, Figures.Slow>> slow) {
        this.registry = registry;
        this.current = current;
        this.slow = slow;
        addCurrent();
        addSlow();
    }

    private void addCurrent() {
        current(
                "posthorn.pending",
                "",
                "Events not yet delivered",
                f -> f.gauges().pending().value());
        current(
                "posthorn.oldest.age",
                "seconds",
                "Age of the oldest event that is neither settled nor deferred",
                Figures.Current::oldestAge);
        current(
                "posthorn.held",
                "",
                "Events that wait behind an earlier one of their key",
                f -> f.gauges().held());
        current(
                "posthorn.waiting",
                "",
                "Events to be sent again, or deferred",
                f -> f.gauges().waiting());
        current(
                "posthorn.blocked.keys",
                "",
                "Keys that wait behind a failed event",
                f -> f.gauges().blockedKeys());
        current(
                "posthorn.dead.letters",
                "",
                "Dead letters that nobody has dealt with",
                f -> f.gauges().deadLetters());
        current(
                "posthorn.oldest.dead.letter.age",
                "seconds",
                "Since the open dead letter that has failed longest failed first",
                Figures.Current::oldestDeadLetterAge);
        current("posthorn.breaker.open", "", "Lanes whose breaker is open", Figures.Current::openBreakers);
        current("posthorn.denial", "", "Lanes whose receiver answers and refuses everything", Figures.Current::denials);
        current("posthorn.paused", "", "Whether it is paused", f -> f.gauges().paused() ? 1 : 0);
        current("posthorn.lanes", "", "Lanes", Figures.Current::lanes);
        current("posthorn.lanes.owned", "", "Lanes that an instance owns", Figures.Current::owned);
    }

    private void addSlow() {
        slow(
                "posthorn.latency",
                "seconds",
                "From recording to settling, on average over the last five minutes",
                Figures.Slow::latencySeconds);
        slow("posthorn.stuck", "", "Events that have been sending for over 30 minutes", Figures.Slow::stuck);
    }

    private void current(String name, String unit, String description, ToDoubleFunction<Figures.Current> value) {
        add(name, unit, description, subscription -> number(Figures.of(current, subscription), value));
    }

    private void slow(String name, String unit, String description, ToDoubleFunction<Figures.Slow> value) {
        add(name, unit, description, subscription -> number(Figures.of(slow, subscription), value));
    }

    private void add(String name, String unit, String description, ToDoubleFunction<String> value) {
        MultiGauge.Builder gauge = MultiGauge.builder(name).description(description);
        meters.put((unit.isEmpty() ? gauge : gauge.baseUnit(unit)).register(registry), value);
    }

    private static <T> double number(@Nullable T figures, ToDoubleFunction<T> value) {
        return figures == null ? Double.NaN : value.applyAsDouble(figures);
    }

    /** From now on tells of these subscriptions and no others. */
    void show(Set<String> subscriptions) {
        meters.forEach((meter, value) -> meter.register(subscriptions.stream()
                .map(name -> MultiGauge.Row.of(Tags.of("subscription", name), () -> value.applyAsDouble(name)))
                .toList()));
    }
}
