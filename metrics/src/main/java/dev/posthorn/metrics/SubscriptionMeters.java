package dev.posthorn.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A gauge of each kind for each subscription that is shown, and one for all subscriptions together: their sum, or of ages the
 * greatest. All take their values from the last reading when they are scraped.
 */
final class SubscriptionMeters {

    private static final String SECONDS = "seconds";

    private final MeterRegistry registry;
    private final Reading<Map<String, Figures.Current>> current;
    private final Reading<Map<String, Figures.Slow>> slow;
    private final List<Kind> kinds = new ArrayList<>();
    private final Map<String, List<Meter>> shown = new HashMap<>();

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
                SECONDS,
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
                SECONDS,
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
                SECONDS,
                "From recording to settling, on average over the last five minutes",
                Figures.Slow::latencySeconds);
        slow("posthorn.stuck", "", "Events that have been sending for over 30 minutes", Figures.Slow::stuck);
        addTotal(
                "posthorn.stuck",
                "",
                "Events that have been sending for over 30 minutes, of all subscriptions together",
                () -> total(slow, all -> all.mapToDouble(Figures.Slow::stuck).sum()));
        addTotal(
                "posthorn.latency",
                SECONDS,
                "From recording to settling, on average over the last five minutes and all subscriptions",
                () -> total(slow, Figures.Slow::averageSeconds));
        addTotal("posthorn.subscriptions", "", "Subscriptions", () -> total(current, Stream::count));
    }

    private void current(String name, String unit, String description, ToDoubleFunction<Figures.Current> value) {
        add(name, unit, description, subscription -> number(Figures.of(current, subscription), value));
        boolean isAge = unit.equals(SECONDS);
        addTotal(
                name,
                unit,
                description + (isAge ? ", of all subscriptions" : ", of all subscriptions together"),
                () -> total(
                        current,
                        all -> isAge
                                ? all.mapToDouble(value).max().orElse(0)
                                : all.mapToDouble(value).sum()));
    }

    private void slow(String name, String unit, String description, ToDoubleFunction<Figures.Slow> value) {
        add(name, unit, description, subscription -> number(Figures.of(slow, subscription), value));
    }

    private void add(String name, String unit, String description, ToDoubleFunction<String> value) {
        kinds.add(new Kind(name, unit, description, value));
    }

    /** A gauge that each subscription has. */
    private record Kind(String name, String unit, String description, ToDoubleFunction<String> value) {

        Meter of(String subscription, MeterRegistry registry) {
            return Gauge.builder(name, () -> value.applyAsDouble(subscription))
                    .description(description)
                    .baseUnit(unit.isEmpty() ? null : unit)
                    .tag("subscription", subscription)
                    .register(registry);
        }
    }

    /** Under a name of its own: what has a subscription's name on it must not be added up with what has not. */
    private void addTotal(String name, String unit, String description, Supplier<Number> value) {
        Gauge.Builder<Supplier<Number>> gauge = Gauge.builder(name.replaceFirst("posthorn", "posthorn.all"), value)
                .description(description);
        (unit.isEmpty() ? gauge : gauge.baseUnit(unit)).register(registry);
    }

    private static <T> double total(Reading<Map<String, T>> reading, ToDoubleFunction<Stream<T>> total) {
        Map<String, T> all = reading.value();
        return all == null ? Double.NaN : total.applyAsDouble(all.values().stream());
    }

    private static <T> double number(@Nullable T figures, ToDoubleFunction<T> value) {
        return figures == null ? Double.NaN : value.applyAsDouble(figures);
    }

    /** From now on tells of these subscriptions and no others. */
    void show(Set<String> subscriptions) {
        Set<String> gone = new HashSet<>(shown.keySet());
        gone.removeAll(subscriptions);
        gone.forEach(name -> shown.remove(name).forEach(registry::remove));
        for (String name : subscriptions) {
            shown.computeIfAbsent(
                    name,
                    added ->
                            kinds.stream().map(kind -> kind.of(added, registry)).toList());
        }
    }
}
