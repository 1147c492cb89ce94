package dev.posthorn.server.events;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Latency;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** How many, how long, and which of them may not arrive? */
@RestController
@Tag(name = "Status")
class FiguresController {

    /** PostgreSQL's own intervals end later, but nothing is kept that long. */
    private static final Duration LONGEST = Duration.ofDays(366);

    /** As the metric has it. */
    private static final Duration USUAL_PERIOD = Duration.ofMinutes(5);

    private final Database database;
    private final EventStatuses statuses;

    FiguresController(Database database) {
        this.database = database;
        this.statuses = new EventStatuses(database.looks(), database.schema());
    }

    @Operation(
            summary = "How many events are in which status, by subscription",
            description = "What has a row is counted; unsettled events are counted up to 10000 of a subscription and"
                    + " estimated beyond; delivered ones are always estimated, from the receipts that are kept.")
    @GetMapping(path = "/v1/status/counts", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    Page<CountsItem> counts(
            @Parameter(description = "of this one alone") @RequestParam(required = false) @Nullable String subscription,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(defaultValue = Page.DEFAULT_LIMIT)
                    String limit,
            @Parameter(description = "next of the page before") @RequestParam(required = false) @Nullable
                    String after) {
        int most = Page.limit(limit);
        String last = after == null ? "" : PageToken.parts(after, 1).get(0);
        database.requireReady();
        if (subscription != null) {
            return new Page<>(List.of(CountsItem.of(subscription, statuses.counts(subscription))), null);
        }
        List<CountsItem> items = statuses.counts(last, most + 1).entrySet().stream()
                .map(each -> CountsItem.of(each.getKey(), each.getValue()))
                .toList();
        return Page.of(items, most, item -> PageToken.of(item.subscription()));
    }

    @Operation(
            summary = "Events that wait for one of their last attempts, the nearest to the end first",
            description = "Of subscriptions whose attempts are limited.")
    @GetMapping(path = "/v1/status/near-last-attempt", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    TroubledEvents<LastChanceItem> nearLastAttempt(
            @Parameter(description = "how many attempts an event has left at most") @RequestParam(defaultValue = "1")
                    String left,
            @Parameter(description = "of this one alone") @RequestParam(required = false) @Nullable String subscription,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(defaultValue = Page.DEFAULT_LIMIT)
                    String limit) {
        int most = Page.limit(limit);
        int attempts = Parameters.number("left", left);
        database.requireReady();
        return TroubledEvents.of(statuses.nearLastAttempt(attempts, subscription, most), LastChanceItem::of);
    }

    @Operation(
            summary = "Events that were handed to a receiver long ago and are not settled",
            description = "Those of lanes that have not moved for that long, the longest first.")
    @GetMapping(path = "/v1/status/stuck", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    TroubledEvents<StuckItem> stuck(
            @Parameter(description = "for how long at least, such as 30m") @RequestParam(defaultValue = "30m")
                    String stuckFor,
            @Parameter(description = "of this one alone") @RequestParam(required = false) @Nullable String subscription,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(defaultValue = Page.DEFAULT_LIMIT)
                    String limit) {
        int most = Page.limit(limit);
        Duration time = Parameters.duration("stuckFor", stuckFor, LONGEST);
        database.requireReady();
        return TroubledEvents.of(statuses.stuckSending(time, subscription, most), StuckItem::of);
    }

    /**
     * How long events took from being recorded to being settled.
     *
     * @param average left out if nothing was settled
     * @param sample how many events it was worked out from
     */
    record LatencyAnswer(String subscription, @Nullable Duration average, int sample) {}

    @Operation(
            summary = "How long the events of a subscription took from being recorded to being settled, on average",
            description = "Of what was settled in the last period, or from one time to another; worked out from a"
                    + " sample of the receipts and attempts that are kept.")
    @GetMapping(path = "/v1/status/latency", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    LatencyAnswer latency(
            @RequestParam(required = false) @Nullable String subscription,
            @Parameter(description = "until now, such as 2h; 5m if neither this nor from and to are given")
                    @RequestParam(required = false)
                    @Nullable
                    String period,
            @Parameter(description = "settled at or after") @RequestParam(required = false) @Nullable String from,
            @Parameter(description = "settled before") @RequestParam(required = false) @Nullable String to) {
        if (subscription == null) {
            throw Parameters.refused("subscription", "is missing; give a subscription's name");
        }
        if (from != null || to != null) {
            return told(subscription, between(subscription, period, from, to));
        }
        Duration last = period == null ? USUAL_PERIOD : Parameters.duration("period", period, LONGEST);
        database.requireReady();
        return told(subscription, statuses.averageLatency(subscription, last));
    }

    private Optional<Latency> between(
            String subscription, @Nullable String period, @Nullable String from, @Nullable String to) {
        if (period != null) {
            throw Parameters.refused("period", "is given with " + (from == null ? "to" : "from") + "; give either");
        }
        if (from == null || to == null) {
            throw Parameters.refused(from == null ? "from" : "to", "is missing; give from and to, or period");
        }
        Instant begin = Parameters.time("from", from);
        Instant end = Parameters.time("to", to);
        database.requireReady();
        return statuses.averageLatency(subscription, begin, end);
    }

    private static LatencyAnswer told(String subscription, Optional<Latency> latency) {
        return new LatencyAnswer(
                subscription,
                latency.map(Latency::average).orElse(null),
                latency.map(Latency::sample).orElse(0));
    }
}
