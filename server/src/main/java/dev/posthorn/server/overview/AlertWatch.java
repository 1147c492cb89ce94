package dev.posthorn.server.overview;

import dev.posthorn.metrics.SubscriptionFigures;
import dev.posthorn.server.json.Durations;
import dev.posthorn.status.SubscriptionGauges;
import dev.posthorn.subscription.RelayListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Remembers since when something has been the matter, with each reading of the figures. Thread-safe. */
final class AlertWatch implements RelayListener {

    private static final Duration RETENTION_TOLD = Duration.ofHours(2);
    private static final Duration INGEST_PERIOD = Duration.ofMinutes(5);

    private final MeterRegistry registry;
    private final Map<String, Instant> retentionHeld = new ConcurrentHashMap<>();
    private final Map<String, Instant> doubts = new HashMap<>();
    private Map<Matter, Instant> since = Map.of();
    private double turnedAway;
    private @Nullable Instant turnedAwayAt;

    AlertWatch(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * What is the matter with whom.
     *
     * @param subscription null if it is about none
     */
    record Matter(Rule rule, @Nullable String subscription) {}

    @Override
    public void retentionHeld(String subscription, Duration age, long events) {
        retentionHeld.put(subscription, Instant.now());
    }

    /** The figures were read. */
    synchronized void look(Board.Read read) {
        Map<Matter, Instant> now = new HashMap<>();
        for (SubscriptionFigures each : read.figures()) {
            for (Rule rule : Rule.values()) {
                if (isSo(rule, each)) {
                    note(now, new Matter(rule, each.gauges().subscription()), begun(rule, each, read.at()));
                }
            }
        }
        retentionHeld.values().removeIf(told -> told.plus(RETENTION_TOLD).isBefore(read.at()));
        retentionHeld.forEach((name, told) -> note(now, new Matter(Rule.RETENTION_HELD, name), told));
        if (isTurningAway(read.at())) {
            note(now, new Matter(Rule.INGEST_UNAVAILABLE, null), read.at());
        }
        since = now;
    }

    private void note(Map<Matter, Instant> now, Matter matter, Instant begun) {
        Instant before = since.get(matter);
        now.put(matter, before == null || begun.isBefore(before) ? begun : before);
    }

    private static boolean isSo(Rule rule, SubscriptionFigures figures) {
        SubscriptionGauges gauges = figures.gauges();
        return switch (rule) {
            case DEAD_LETTERS -> gauges.deadLetters() > 0;
            case DEAD_LETTERS_STAY -> isLonger(gauges.oldestDeadLetterAge(), Rule.STAYS) && gauges.deadLetters() > 0;
            case BACKLOG -> gauges.pending().value() > Rule.MANY_PENDING;
            case BACKLOG_OLD -> isLonger(gauges.oldestAge(), Rule.OLD);
            case STUCK -> figures.stuck() > 0;
            case SLOW -> figures.latency() != null && isLonger(figures.latency().average(), Rule.SLOW_FROM);
            case BREAKER_OPEN -> gauges.breaker() != null;
            case DENIAL -> gauges.denial() != null;
            case LANES_WITHOUT_OWNER -> figures.lanes() > figures.owned();
            case DATABASE_AWAY, GUARD_IN_DOUBT, MANY_RETRIES, RETENTION_HELD, INGEST_UNAVAILABLE -> false;
        };
    }

    private static boolean isLonger(@Nullable Duration time, Duration than) {
        return time != null && time.compareTo(than) > 0;
    }

    /** Since when it is so if that is known, else now. */
    private static Instant begun(Rule rule, SubscriptionFigures figures, Instant now) {
        SubscriptionGauges gauges = figures.gauges();
        return switch (rule) {
            case BREAKER_OPEN -> Objects.requireNonNull(gauges.breaker()).since();
            case DENIAL -> Objects.requireNonNull(gauges.denial()).since();
            case BACKLOG_OLD ->
                now.minus(Objects.requireNonNull(gauges.oldestAge())).plus(Rule.OLD);
            case DEAD_LETTERS, DEAD_LETTERS_STAY ->
                gauges.oldestDeadLetterAge() == null
                        ? now
                        : now.minus(gauges.oldestDeadLetterAge())
                                .plus(rule == Rule.DEAD_LETTERS ? Duration.ZERO : Rule.STAYS);
            default -> now;
        };
    }

    /** As the rule has it: by the counter of the last five minutes. */
    private boolean isTurningAway(Instant now) {
        double count = registry.find("posthorn.ingested").tag("outcome", "unavailable").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
        if (count > turnedAway) {
            turnedAwayAt = now;
        }
        turnedAway = count;
        return turnedAwayAt != null && turnedAwayAt.plus(INGEST_PERIOD).isAfter(now);
    }

    /** Since when these guards have something in doubt, as far as it was seen here. */
    synchronized Map<String, Instant> inDoubt(Set<String> guards, Instant now) {
        doubts.keySet().retainAll(guards);
        guards.forEach(guard -> doubts.putIfAbsent(guard, now));
        return Map.copyOf(doubts);
    }

    /** Whether it was so in the reading before the last too. */
    synchronized boolean stays(Rule rule, String subscription, Instant reading) {
        Instant begun = since.get(new Matter(rule, subscription));
        return begun != null && begun.isBefore(reading);
    }

    /** What is to be told of the last reading. */
    synchronized List<Alert> open(Board.Read read) {
        Map<String, SubscriptionFigures> byName = new HashMap<>();
        read.figures().forEach(each -> byName.put(each.gauges().subscription(), each));
        List<Alert> open = new ArrayList<>();
        since.forEach((matter, begun) -> {
            if (!begun.plus(matter.rule().holdsFor()).isAfter(read.at())) {
                SubscriptionFigures figures = matter.subscription() == null ? null : byName.get(matter.subscription());
                open.add(Alert.of(matter.rule(), matter.subscription(), null, begun, summary(matter, figures)));
            }
        });
        return open;
    }

    private static String summary(Matter matter, @Nullable SubscriptionFigures figures) {
        String name = String.valueOf(matter.subscription());
        if (matter.rule() == Rule.INGEST_UNAVAILABLE) {
            return "Events that come to this hub are turned away";
        }
        if (figures == null || matter.rule() == Rule.RETENTION_HELD) {
            return name + " keeps old events in the log";
        }
        SubscriptionGauges gauges = figures.gauges();
        return switch (matter.rule()) {
            case DEAD_LETTERS ->
                name + " has " + gauges.deadLetters() + (gauges.deadLetters() == 1 ? " dead letter" : " dead letters");
            case DEAD_LETTERS_STAY -> name + " has had a dead letter for " + text(gauges.oldestDeadLetterAge());
            case BACKLOG -> name + " has " + gauges.pending().value() + " events pending";
            case BACKLOG_OLD -> "The oldest event of " + name + " has waited for " + text(gauges.oldestAge());
            case STUCK -> figures.stuck() + " events of " + name + " have been sending for over 30 minutes";
            case SLOW ->
                "Events of " + name + " take "
                        + text(Objects.requireNonNull(figures.latency()).average()) + " on average";
            case BREAKER_OPEN -> "The receiver of " + name + " is not reached or does not answer";
            case DENIAL -> "The receiver of " + name + " answers and refuses everything";
            default -> "Nobody delivers " + (figures.lanes() - figures.owned()) + " lanes of " + name;
        };
    }

    private static String text(@Nullable Duration time) {
        return time == null ? "a while" : Durations.print(Duration.ofSeconds(time.toSeconds()));
    }
}
