package dev.posthorn.server.events;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.status.RecentAttempts;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What was tried of late for a subscription? */
@RestController
@Tag(name = "Subscriptions")
class AttemptsController {

    private static final Set<String> OUTCOMES = Set.of("DELIVERED", "RETRY", "REJECT", "UNAVAILABLE");
    private static final Set<String> FAILED = Set.of("RETRY", "REJECT", "UNAVAILABLE");

    private final Database database;
    private final RecentAttempts recent;

    AttemptsController(Database database) {
        this.database = database;
        this.recent = new RecentAttempts(database.looks(), database.schema());
    }

    /**
     * One try to deliver an event. What the receiver replied is told with the event.
     *
     * @param eventId left out if nothing is left of the event
     * @param type left out with it
     * @param outcome DELIVERED, RETRY, REJECT or UNAVAILABLE
     */
    record AttemptLine(
            @Nullable UUID eventId,
            @Nullable String type,
            @Nullable String key,
            int number,
            Instant startedAt,
            long tookMillis,
            String outcome,
            @Nullable String errorClass,
            @Nullable String message,
            @Nullable Integer replyCode,
            String instance) {

        static AttemptLine of(RecentAttempts.Tried tried) {
            return new AttemptLine(
                    tried.eventId(),
                    tried.type(),
                    tried.key(),
                    tried.place().number(),
                    tried.place().startedAt(),
                    tried.took().toMillis(),
                    tried.outcome(),
                    tried.errorClass(),
                    tried.message(),
                    tried.replyCode(),
                    tried.instance());
        }
    }

    @Operation(
            summary = "The attempts of a subscription of which a record is kept, the newest first",
            description =
                    "An event that is delivered at once leaves no record, unless the subscription keeps all attempts. A page may"
                            + " be short, or empty, although more follow. Only a missing next is the end.")
    @GetMapping(path = "/v1/subscriptions/{name}/attempts", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    Page<AttemptLine> attempts(
            @PathVariable String name,
            @Parameter(description = "DELIVERED, RETRY, REJECT or UNAVAILABLE; failed: all but the first")
                    @RequestParam(required = false)
                    @Nullable
                    String outcome,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(defaultValue = Page.DEFAULT_LIMIT)
                    String limit,
            @Parameter(description = "next of the page before") @RequestParam(required = false) @Nullable
                    String after) {
        int most = Page.limit(limit);
        Set<String> outcomes = outcomes(outcome);
        RecentAttempts.Place place = after == null ? null : place(after);
        database.requireReady();
        RecentAttempts.Page found = recent.page(name, outcomes, place, most);
        return new Page<>(
                found.attempts().stream().map(AttemptLine::of).toList(),
                found.next() == null ? null : token(found.next()));
    }

    private static Set<String> outcomes(@Nullable String text) {
        if (text == null) {
            return Set.of();
        }
        String wanted = text.toUpperCase(Locale.ROOT);
        if (wanted.equals("FAILED")) {
            return FAILED;
        }
        if (!OUTCOMES.contains(wanted)) {
            throw Parameters.refused("outcome", "is unknown; give DELIVERED, RETRY, REJECT, UNAVAILABLE or failed");
        }
        return Set.of(wanted);
    }

    private static String token(RecentAttempts.Place place) {
        return PageToken.of(place.startedAt().toString(), Long.toString(place.seq()), Integer.toString(place.number()));
    }

    private static RecentAttempts.Place place(String token) {
        List<String> parts = PageToken.parts(token, 3);
        try {
            return new RecentAttempts.Place(
                    Instant.parse(parts.get(0)), Long.parseLong(parts.get(1)), Integer.parseInt(parts.get(2)));
        } catch (DateTimeException | NumberFormatException e) {
            throw Parameters.refused("after", "is not a token of this list; give the 'next' of the page before");
        }
    }
}
