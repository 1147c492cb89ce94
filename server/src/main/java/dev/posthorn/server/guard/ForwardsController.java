package dev.posthorn.server.guard;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows what became of events at a guard, and takes decisions about those that are in doubt. */
@RestController
@RequestMapping("/v1/guards/{name}/forwards")
@Tag(name = "Guards")
class ForwardsController {

    private static final int LONGEST_REASON = 1_000;

    private final Database database;
    private final HubGuards guards;
    private final ForwardStore forwards;
    private final DocumentReader reader;

    ForwardsController(Database database, HubGuards guards, ForwardStore forwards, DocumentReader reader) {
        this.database = database;
        this.guards = guards;
        this.forwards = forwards;
        this.reader = reader;
    }

    @Operation(summary = "List what became of the events that came to a guard, the oldest first")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping
    Page<ForwardAnswer> list(
            @PathVariable String name,
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        database.requireReady();
        int most = Page.limit(limit);
        List<Forward> found = forwards.page(
                name, state == null ? null : state(state), after == null ? 0 : Parameters.place(after), most + 1);
        if (found.isEmpty() && !guards.isThere(name)) {
            throw DocumentKind.GUARD.notFound(name);
        }
        Page<Forward> page = Page.of(found, most, last -> PageToken.of(Long.toString(last.id())));
        return new Page<>(page.items().stream().map(ForwardAnswer::of).toList(), page.next());
    }

    private static ForwardState state(String text) {
        try {
            return ForwardState.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw Parameters.refused(
                    "state", "is '" + text + "'; it must be one of " + Arrays.toString(ForwardState.values()));
        }
    }

    @Operation(
            summary = "Get what became of an event that came to a guard",
            description =
                    "The id is the hub's or the source's own; if several sources have used it, source says which.")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{eventId}")
    ForwardAnswer get(
            @PathVariable String name,
            @PathVariable String eventId,
            @RequestParam(required = false) @Nullable String source) {
        database.requireReady();
        return forwards.find(name, eventId, source)
                .map(ForwardAnswer::of)
                .orElseThrow(() -> ForwardProblems.unknown(name, eventId));
    }

    @Operation(
            summary = "Decide what became of an event that is in doubt",
            description =
                    "ARRIVED: it counts as forwarded. REPEAT: the target does not have it; it is forwarded when it"
                            + " comes again, by a request or by a replay of its dead letter. ABANDON: it is never forwarded. 409 if"
                            + " it is not in doubt; REPEAT also goes with what the target refused.")
    @Allowed({Role.OPERATOR})
    @PostMapping(path = "/{eventId}/decision", consumes = MediaType.APPLICATION_JSON_VALUE)
    ForwardAnswer decide(
            @PathVariable String name,
            @PathVariable String eventId,
            @RequestParam(required = false) @Nullable String source,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = DecisionRequest.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            Actor actor) {
        DecisionRequest asked = reader.read(body == null ? new byte[0] : body, DecisionRequest.class);
        if (asked.decision() == null) {
            throw Parameters.refused("decision", "is missing; give ARRIVED, REPEAT or ABANDON");
        }
        String reason = checked(asked.reason());
        database.requireReady();
        return forwards.decide(name, eventId, source, asked.decision(), reason, actor)
                .map(ForwardAnswer::of)
                .orElseThrow(() -> ForwardProblems.unknown(name, eventId));
    }

    private static String checked(@Nullable String reason) {
        if (reason == null || reason.isBlank() || reason.length() > LONGEST_REASON) {
            throw Parameters.refused("reason", "must have 1 to " + LONGEST_REASON + " characters; say how you know");
        }
        return reason;
    }
}
