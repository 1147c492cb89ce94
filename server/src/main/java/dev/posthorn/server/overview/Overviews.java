package dev.posthorn.server.overview;

import dev.posthorn.error.PosthornException;
import dev.posthorn.metrics.SubscriptionFigures;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.rollup.Rollups;
import dev.posthorn.server.rollup.Work;
import dev.posthorn.server.subscriptions.RelayKeeper;
import dev.posthorn.status.SubscriptionGauges;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Puts together what is seen at a glance. */
public final class Overviews {

    private static final int MOST_ALERTS = 100;
    private static final int STEPS_OF_A_MINUTE = 60 / Rollups.STEP_SECONDS;
    private static final String VERSION =
            Objects.requireNonNullElse(Overviews.class.getPackage().getImplementationVersion(), "development");

    private final Board board;
    private final AlertWatch watch;
    private final GlanceReader reader;
    private final RelayKeeper relay;

    Overviews(Board board, AlertWatch watch, GlanceReader reader, RelayKeeper relay) {
        this.board = board;
        this.watch = watch;
        this.reader = reader;
        this.relay = relay;
    }

    static String version() {
        return VERSION;
    }

    /** Under which name this hub delivers; null if it does not, or not yet. */
    @Nullable
    String instance() {
        return relay.relay() == null ? null : relay.relay().instance();
    }

    /** The figures that were read last, and what is read for those who look. */
    record Seen(Board.Read read, Glance glance) {

        Rollups.Rate rate(String subscription) {
            return glance.rates().getOrDefault(subscription, Rollups.Rate.NONE);
        }
    }

    /** A problem until the figures were first read, which is a moment after the hub has found its database. */
    Seen seen() {
        Glance glance = reader.glance();
        Board.Read read = board.last();
        if (read == null) {
            throw Problem.unavailable(
                            "the hub has yet to read the figures of its subscriptions; try again in a moment",
                            Duration.ofSeconds(1))
                    .asException();
        }
        return new Seen(read, glance);
    }

    OverviewAnswer answer() {
        if (!reader.isReady()) {
            return away();
        }
        try {
            return answer(seen());
        } catch (PosthornException e) {
            return away();
        }
    }

    private static OverviewAnswer away() {
        return new OverviewAnswer(VERSION, false, null, null, null, null, null, null);
    }

    /** The figures that were read last; null if none were. */
    public Board.@Nullable Read lastRead() {
        return board.last();
    }

    /** The totals and how many alerts are open, for those who watch. */
    public OverviewTick tick() {
        Seen seen = seen();
        return OverviewTick.of(seen.read().at(), totals(seen), alerts(seen).size());
    }

    private OverviewAnswer answer(Seen seen) {
        List<Alert> alerts = alerts(seen);
        String me = instance();
        return new OverviewAnswer(
                VERSION,
                true,
                seen.read().at(),
                totals(seen),
                Series.of(seen.glance().lastHour()),
                seen.glance().processes().stream()
                        .map(each -> new OverviewAnswer.HubLine(
                                each.instance(),
                                each.startedAt(),
                                each.lastSeenAt(),
                                each.alive(),
                                each.lanes(),
                                each.subscriptions(),
                                each.instance().equals(me)))
                        .toList(),
                alerts.subList(0, Math.min(MOST_ALERTS, alerts.size())),
                Math.max(0, alerts.size() - MOST_ALERTS));
    }

    /** All that are open, the most severe first. */
    List<Alert> alerts(Seen seen) {
        List<Alert> open = new ArrayList<>(watch.open(seen.read()));
        Instant at = seen.read().at();
        watch.inDoubt(seen.glance().inDoubt().keySet(), at)
                .forEach((guard, begun) -> open.add(doubt(guard, begun, seen)));
        seen.glance().rates().forEach((name, rate) -> {
            if (rate.ten().errorRate() > Rule.MANY_FAIL && rate.before().errorRate() > Rule.MANY_FAIL) {
                open.add(Alert.of(
                        Rule.MANY_RETRIES,
                        name,
                        null,
                        at.minus(Rule.MANY_RETRIES.holdsFor()),
                        Math.round(100 * rate.ten().errorRate()) + " % of the attempts of " + name + " fail"));
            }
        });
        open.sort(Comparator.comparing(
                        (Alert alert) -> Rule.Severity.valueOf(alert.severity().toUpperCase(Locale.ROOT)))
                .thenComparing(Alert::since)
                .thenComparing(Alert::name)
                .thenComparing(alert -> String.valueOf(alert.subscription())));
        return open;
    }

    private static Alert doubt(String guard, Instant begun, Seen seen) {
        Long count = seen.glance().inDoubt().get(guard);
        return Alert.of(
                Rule.GUARD_IN_DOUBT,
                null,
                guard,
                begun,
                "Guard " + guard + " has " + count + " forwards of which nobody knows whether they arrived");
    }

    OverviewAnswer.OverviewTotals totals(Seen seen) {
        long pending = 0;
        boolean exact = true;
        long held = 0;
        long waiting = 0;
        long deadLetters = 0;
        int inTrouble = 0;
        int paused = 0;
        SubscriptionGauges oldest = null;
        for (SubscriptionFigures each : seen.read().figures()) {
            SubscriptionGauges gauges = each.gauges();
            pending += gauges.pending().value();
            exact &= gauges.pending().exact();
            held += gauges.held();
            waiting += gauges.waiting();
            deadLetters += gauges.deadLetters();
            Ailment trouble = trouble(each, seen);
            inTrouble += trouble == null || trouble == Ailment.PAUSED ? 0 : 1;
            paused += gauges.paused() ? 1 : 0;
            if (gauges.oldestAge() != null
                    && (oldest == null
                            || gauges.oldestAge().compareTo(Objects.requireNonNull(oldest.oldestAge())) > 0)) {
                oldest = gauges;
            }
        }
        Rollups.Course hour = seen.glance().lastHour();
        return new OverviewAnswer.OverviewTotals(
                lastMinute(hour.recorded()),
                lastMinute(hour.done().stream().map(Work::delivered).toList()),
                lastMinute(hour.done().stream().map(Work::failed).toList()),
                new Backlog(pending, exact),
                oldest == null ? null : oldest.oldestAge(),
                oldest == null ? null : oldest.subscription(),
                held,
                waiting,
                deadLetters,
                hour.done().stream().mapToLong(Work::deadLettered).sum(),
                seen.read().figures().size(),
                inTrouble,
                paused);
    }

    private static double lastMinute(List<Long> steps) {
        return steps.subList(steps.size() - STEPS_OF_A_MINUTE, steps.size()).stream()
                        .mapToLong(Long::longValue)
                        .sum()
                / 60.0;
    }

    /** The worst of what is the matter; null if nothing is. */
    @Nullable
    Ailment trouble(SubscriptionFigures figures, Seen seen) {
        SubscriptionGauges gauges = figures.gauges();
        String name = gauges.subscription();
        if (watch.stays(Rule.LANES_WITHOUT_OWNER, name, seen.read().at())) {
            return Ailment.NOT_SERVED;
        }
        if (gauges.denial() != null) {
            return Ailment.DENIAL;
        }
        if (gauges.breaker() != null) {
            return Ailment.BREAKER_OPEN;
        }
        if (gauges.deadLetters() > 0) {
            return Ailment.DEAD_LETTERS;
        }
        if (gauges.oldestAge() != null && gauges.oldestAge().compareTo(Rule.OLD) > 0) {
            return Ailment.OLD_BACKLOG;
        }
        if (seen.rate(name).ten().errorRate() > Rule.MANY_FAIL) {
            return Ailment.RETRIES;
        }
        return gauges.paused() ? Ailment.PAUSED : null;
    }

    /** The figures of all subscriptions, each with its trouble. */
    List<Standing> standings(Seen seen) {
        return seen.read().figures().stream()
                .map(each -> new Standing(
                        each, trouble(each, seen), seen.rate(each.gauges().subscription())))
                .toList();
    }

    /** How a subscription stands. */
    record Standing(SubscriptionFigures figures, @Nullable Ailment trouble, Rollups.Rate rate) {

        private static final int NONE = 99;

        String name() {
            return figures.gauges().subscription();
        }

        /** The worst trouble is the least. */
        int rank() {
            return trouble == null ? NONE : List.of(Ailment.values()).indexOf(trouble);
        }

        /** How many events are concerned. */
        long weight() {
            SubscriptionGauges gauges = figures.gauges();
            return gauges.deadLetters() + gauges.pending().value() + gauges.held();
        }
    }
}
