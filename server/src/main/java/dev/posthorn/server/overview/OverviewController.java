package dev.posthorn.server.overview;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Everything at a glance. */
@RestController
@Tag(name = "Overview", description = "How everything is doing, at a glance")
class OverviewController {

    private static final Duration LONGEST = Duration.ofHours(24);

    private final Overviews overviews;
    private final SubscriptionBoard subscriptions;

    OverviewController(Overviews overviews, SubscriptionBoard subscriptions) {
        this.overviews = overviews;
        this.subscriptions = subscriptions;
    }

    @Operation(
            summary = "How much comes and goes, who delivers, and what somebody should see to",
            description =
                    "Costs the database next to nothing, however often it is asked for and however many subscriptions"
                            + " there are. Answers while the database is away, and says so.")
    @GetMapping(path = "/v1/overview", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    OverviewAnswer overview() {
        return overviews.answer();
    }

    @Operation(
            summary = "The subscriptions with how each is doing, by trouble, name or rate",
            description =
                    "By trouble: those that are in trouble first, the worst first. The figures are those of GET /v1/overview.")
    @GetMapping(path = "/v1/overview/subscriptions", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    SubscriptionLines subscriptions(
            @Parameter(description = "part of the name, in whatever case") @RequestParam(required = false) @Nullable
                    String search,
            @Parameter(description = "trouble, name or rate") @RequestParam(defaultValue = "trouble") String sort,
            @Parameter(description = "true: only those that are in trouble") @RequestParam(defaultValue = "false")
                    String troubled,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(defaultValue = Page.DEFAULT_LIMIT)
                    String limit,
            @Parameter(description = "next of the page before, with the same search and sort")
                    @RequestParam(required = false)
                    @Nullable
                    String after) {
        return subscriptions.lines(
                new SubscriptionBoard.Asked(
                        search == null ? "" : search, sort, Parameters.flag("troubled", troubled), Page.limit(limit)),
                after);
    }

    @Operation(
            summary = "What was delivered to a subscription and what failed, minute by minute",
            description = "Counted by the hubs, and kept for a day.")
    @GetMapping(path = "/v1/subscriptions/{name}/series", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    Series series(
            @PathVariable String name,
            @Parameter(description = "until now, such as 2h; 24h at most") @RequestParam(defaultValue = "1h")
                    String period) {
        return subscriptions.series(name, Parameters.duration("period", period, LONGEST));
    }
}
