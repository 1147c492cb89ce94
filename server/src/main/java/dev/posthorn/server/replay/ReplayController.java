package dev.posthorn.server.replay;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.replay.ItemPage;
import dev.posthorn.replay.ItemQuery;
import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayItem;
import dev.posthorn.replay.ReplayPage;
import dev.posthorn.replay.ReplayQuery;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.ReplayState;
import dev.posthorn.replay.Replays;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.documents.ReasonDocument;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.subscriptions.RelayKeeper;
import dev.posthorn.server.web.OutboundLimit;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.status.EventSearch;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** Replays over REST. */
@RestController
@Tag(name = "Replay", description = "Send dead letters, and events that were delivered, again")
class ReplayController {

    private static final String NUMBER = "\\d{1,18}";

    private static final String CHOICES = "replays to be chosen";

    private final Replays replays;

    /** For what takes moments: who wants a replay to pause must not wait for those who choose the next. */
    private final Replays quick;

    private final OutboundLimit outbound;
    private final RequestReader reader;

    ReplayController(
            Database database,
            RelayKeeper relay,
            JsonMapper mapper,
            HubSettings settings,
            Sources sources,
            OutboundLimit outbound) {
        this.replays = new Replays(database.choices(), database.schema(), relay::tend);
        this.quick = new Replays(database.looks(), database.schema(), relay::tend);
        this.outbound = outbound;
        this.reader = new RequestReader(
                mapper,
                settings,
                sources,
                new DeadLetters(database.looks(), database.schema()),
                new EventSearch(database.looks(), database.schema()));
    }

    @Operation(
            summary = "Start a replay, or with dryRun tell what it would send",
            description = "202: the set is frozen and is being sent. 200: of a dry run, nothing was started. 409: the"
                    + " dead letter is being replayed already, was replayed in vain too often, or nothing matches.")
    @ApiResponse(
            responseCode = "202",
            description = "Accepted",
            content = @Content(schema = @Schema(implementation = ReplayAnswer.class)))
    @ApiResponse(
            responseCode = "200",
            description = "What a replay would do",
            content = @Content(schema = @Schema(implementation = PreviewAnswer.class)))
    @PostMapping(
            path = {"/v1/replay", "/replay"},
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ResponseEntity<?> start(
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            required = true,
                            content = @Content(schema = @Schema(implementation = ReplayDocument.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            Actor actor) {
        ReplayDocument document = reader.document(body);
        ReplayRequest request = reader.request(document);
        if (document.isDryRun()) {
            return ResponseEntity.ok(PreviewAnswer.of(outbound.on(CHOICES, () -> replays.preview(request))));
        }
        Replay replay = outbound.on(CHOICES, () -> replays.start(request, actor));
        return ResponseEntity.accepted()
                .location(URI.create("/v1/replay/" + replay.id()))
                .body(ReplayAnswer.of(replay));
    }

    @Operation(summary = "List replays, the newest first")
    @GetMapping(path = "/v1/replay", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    Page<ReplayAnswer> list(
            @Parameter(description = "RUNNING, WAITING_FOR_GO, PAUSED, CANCELLED or FINISHED")
                    @RequestParam(required = false)
                    @Nullable
                    String state,
            @RequestParam(required = false) @Nullable String subscriberId,
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        ReplayQuery.Builder query = ReplayQuery.builder().pageSize(Page.limit(limit));
        if (state != null) {
            query.state(state(state));
        }
        if (subscriberId != null) {
            query.subscription(subscriberId);
        }
        if (after != null) {
            query.after(place(after));
        }
        ReplayPage found = quick.find(query.build());
        return new Page<>(
                found.replays().stream().map(ReplayAnswer::of).toList(),
                found.next() == null ? null : PageToken.of(Long.toString(found.next())));
    }

    @Operation(summary = "Get a replay: how far it is, and how long it will take")
    @GetMapping(path = "/v1/replay/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    ReplayAnswer get(@PathVariable String id) {
        return ReplayAnswer.of(quick.get(number(id)));
    }

    @Operation(summary = "List the items of a replay that failed or were skipped")
    @GetMapping(path = "/v1/replay/{id}/items", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    Page<ItemAnswer> items(
            @PathVariable String id,
            @Parameter(description = "failed or skipped; both if left out") @RequestParam(required = false) @Nullable
                    String outcome,
            @RequestParam(required = false) @Nullable String subscriberId,
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        ItemQuery.Builder query = ItemQuery.builder().pageSize(Page.limit(limit));
        if (outcome != null) {
            query.outcome(outcome(outcome));
        }
        if (subscriberId != null) {
            query.subscription(subscriberId);
        }
        if (after != null) {
            query.cursor(PageToken.parts(after, 1).get(0));
        }
        ItemPage found = quick.items(number(id), query.build());
        return new Page<>(
                found.items().stream().map(ItemAnswer::of).toList(),
                found.cursor() == null ? null : PageToken.of(found.cursor()));
    }

    @Operation(summary = "Pause a replay: nothing more is sent until it is resumed")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            content = @Content(schema = @Schema(implementation = ReasonDocument.class)))
    @PostMapping(
            path = "/v1/replay/{id}/pause",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ReplayAnswer pause(@PathVariable String id, @RequestBody(required = false) byte @Nullable [] body, Actor actor) {
        return ReplayAnswer.of(quick.pause(number(id), reader.reason(body), actor));
    }

    @Operation(summary = "Resume a paused replay, or let the rest go after its canary")
    @PostMapping(path = "/v1/replay/{id}/resume", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ReplayAnswer resume(@PathVariable String id, Actor actor) {
        return ReplayAnswer.of(quick.resume(number(id), actor));
    }

    @Operation(summary = "Cancel a replay: what was not sent is skipped")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            content = @Content(schema = @Schema(implementation = ReasonDocument.class)))
    @PostMapping(
            path = "/v1/replay/{id}/cancel",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ReplayAnswer cancel(@PathVariable String id, @RequestBody(required = false) byte @Nullable [] body, Actor actor) {
        return ReplayAnswer.of(replays.cancel(number(id), reader.reason(body), actor));
    }

    @Operation(summary = "Change the pace of a replay while it runs; null takes a limit away")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content = @Content(schema = @Schema(implementation = ReplayDocument.PaceDocument.class)))
    @PatchMapping(
            path = "/v1/replay/{id}",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ReplayAnswer change(@PathVariable String id, @RequestBody(required = false) byte @Nullable [] body, Actor actor) {
        return ReplayAnswer.of(quick.changePace(number(id), reader.pace(body), actor));
    }

    private static long number(String id) {
        if (!id.matches(NUMBER)) {
            throw Problem.of(
                            ProblemType.NOT_FOUND,
                            "there is no replay with id '" + id + "'; GET /v1/replay lists those that are there")
                    .asException();
        }
        return Long.parseLong(id);
    }

    private static long place(String token) {
        String id = PageToken.parts(token, 1).get(0);
        if (!id.matches(NUMBER)) {
            throw RequestReader.refused("after", "is not a token of this list; give the 'next' of the page before");
        }
        return Long.parseLong(id);
    }

    private static ReplayState state(String text) {
        return Arrays.stream(ReplayState.values())
                .filter(each -> each.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> RequestReader.refused(
                        "state", "is unknown; give one of " + Arrays.toString(ReplayState.values())));
    }

    private static ReplayItem.Outcome outcome(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "failed" -> ReplayItem.Outcome.FAILED;
            case "skipped" -> ReplayItem.Outcome.SKIPPED;
            default -> throw RequestReader.refused("outcome", "is unknown; give failed or skipped");
        };
    }
}
