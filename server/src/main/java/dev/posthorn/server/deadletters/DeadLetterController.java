package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetterGroups;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.deadletter.FullDeadLetter;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.events.EventViews;
import dev.posthorn.server.events.Payload;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What could not be delivered, and why? */
@RestController
@Tag(name = "Dead letters", description = "What could not be delivered")
class DeadLetterController {

    private static final int USUAL_COUNT = 10_000;

    private final Database database;
    private final DeadLetters letters;
    private final EventViews views;
    private final Sources sources;

    DeadLetterController(Database database, EventViews views, Sources sources) {
        this.database = database;
        this.letters = new DeadLetters(database.looks(), database.schema());
        this.views = views;
        this.sources = sources;
    }

    @Operation(
            summary = "Find dead letters, the newest failure first",
            description = "A page may be short, or empty, although more follow: a search looks at a bounded number of"
                    + " dead letters at a time. Only a missing next is the end.")
    @GetMapping(
            path = {"/v1/dlt-messages", "/dlt-messages"},
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    DeadLetterList list(
            @ModelAttribute DeadLetterFilter filter,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(defaultValue = Page.DEFAULT_LIMIT)
                    String limit,
            @Parameter(description = "next of the page before") @RequestParam(required = false) @Nullable String after,
            @Parameter(description = "true counts up to 10000 of all that match, a number up to that one")
                    @RequestParam(required = false)
                    @Nullable
                    String count) {
        DeadLetterQuery.Builder builder = filter.query(sources).pageSize(Page.limit(limit));
        DeadLetterFilter.given(
                "after",
                after,
                token -> builder.cursor(PageToken.parts(token, 1).get(0)));
        DeadLetterQuery query = builder.build();
        int bound = bound(count);
        database.requireReady();
        return DeadLetterList.of(letters.find(query), bound == 0 ? null : letters.count(query, bound));
    }

    private static int bound(@Nullable String count) {
        if (count == null || count.equals("false")) {
            return 0;
        }
        if (count.equals("true")) {
            return USUAL_COUNT;
        }
        if (count.matches("[1-9]\\d{0,5}") && Integer.parseInt(count) <= DeadLetters.MAX_COUNT) {
            return Integer.parseInt(count);
        }
        throw Parameters.refused(
                "count",
                "is '" + Texts.quote(count) + "'; it must be true, or how far to count, from 1 to "
                        + DeadLetters.MAX_COUNT);
    }

    @Operation(summary = "Dead letters by cause, the most frequent first")
    @GetMapping(path = "/v1/dlt-messages/groups", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    GroupList groups(
            @ModelAttribute DeadLetterFilter filter,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(defaultValue = Page.DEFAULT_LIMIT)
                    String limit,
            @Parameter(description = "true: tell of each how many failed in each hour of the last day")
                    @RequestParam(defaultValue = "false")
                    String trend) {
        DeadLetterQuery query =
                filter.query(sources).pageSize(Page.limit(limit)).build();
        boolean trends = Parameters.flag("trend", trend);
        database.requireReady();
        DeadLetterGroups found = letters.groups(query);
        return GroupList.of(found, trends ? letters.trends(found.groups()) : null);
    }

    @Operation(summary = "One dead letter with its payload, its headers and every attempt")
    @GetMapping(path = "/v1/dlt-messages/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    DeadLetterDetail get(
            @PathVariable String id,
            @Parameter(
                            description =
                                    "false leaves the payload out; text gives JSON as dataText, a text, in place of data")
                    @RequestParam(defaultValue = "true")
                    String payload,
            Caller caller) {
        Payload.Form form = Payload.Form.of(payload);
        long number = id(id);
        database.requireReady();
        FullDeadLetter full = letters.get(number);
        return DeadLetterDetail.of(full, views.of(full.event().event(), caller, form));
    }

    static long id(String text) {
        if (text.matches("\\d{1,18}")) {
            return Long.parseLong(text);
        }
        throw Parameters.refused(
                "id", "is '" + Texts.quote(text) + "'; it must be the number that the list gives as id");
    }
}
