package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.Preconditions;
import dev.posthorn.server.web.Waiting;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Subscriptions over REST. */
@RestController
@RequestMapping("/v1/subscriptions")
@Tag(name = "Subscriptions", description = "Who gets what, and how")
class SubscriptionController {

    private final HubSubscriptions subscriptions;
    private final Waiting waiting;

    SubscriptionController(HubSubscriptions subscriptions, Waiting waiting) {
        this.subscriptions = subscriptions;
        this.waiting = waiting;
    }

    @Operation(summary = "List subscriptions by name")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping
    Page<SubscriptionAnswer> list(
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        return subscriptions.list(limit, after);
    }

    @Operation(summary = "Get a subscription, without its secrets")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{name}")
    SubscriptionAnswer get(@PathVariable String name, HttpServletResponse response) {
        return tagged(subscriptions.get(name), response);
    }

    @Operation(summary = "Create a subscription, or change it")
    @Allowed({Role.ADMIN})
    @PutMapping(path = "/{name}", consumes = MediaType.APPLICATION_JSON_VALUE)
    SubscriptionAnswer put(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = Document.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) @Nullable String ifNoneMatch,
            Actor actor,
            HttpServletResponse response) {
        HubSubscriptions.Put put = subscriptions.put(
                name, body == null ? new byte[0] : body, new Preconditions(ifMatch, ifNoneMatch), actor);
        response.setStatus(put.created() ? HttpStatus.CREATED.value() : HttpStatus.OK.value());
        return tagged(put.answer(), response);
    }

    @Operation(summary = "Delete a subscription with its place, its waiting events and its dead letters")
    @Allowed({Role.ADMIN})
    @DeleteMapping("/{name}")
    void delete(
            @PathVariable String name,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            Actor actor,
            HttpServletResponse response) {
        boolean gone = subscriptions.delete(name, new Preconditions(ifMatch, null), actor);
        response.setStatus(gone ? HttpStatus.NO_CONTENT.value() : HttpStatus.ACCEPTED.value());
    }

    @Operation(
            summary = "Pause a subscription: nothing is sent until it is resumed, and nothing is lost",
            description =
                    "200: no instance sends any more, and nothing is on its way. 202: it is being paused, but some"
                            + " instance has something on its way or has not been heard of within three seconds; the state is"
                            + " pausing until then.")
    @Allowed({Role.OPERATOR})
    @PostMapping("/{name}/pause")
    SubscriptionAnswer pause(@PathVariable String name, Actor actor, HttpServletResponse response) {
        SubscriptionAnswer answer = subscriptions.pause(name, actor);
        response.setStatus(answer.state() == State.PAUSING ? HttpStatus.ACCEPTED.value() : HttpStatus.OK.value());
        return tagged(answer, response);
    }

    @Operation(summary = "Resume a subscription where it was paused")
    @Allowed({Role.OPERATOR})
    @PostMapping("/{name}/resume")
    SubscriptionAnswer resume(@PathVariable String name, Actor actor, HttpServletResponse response) {
        return tagged(subscriptions.resume(name, actor), response);
    }

    @Operation(summary = "Send a marked sample straight to the receiver and tell what came back")
    @Allowed({Role.OPERATOR})
    @PostMapping("/{name}/test")
    TrialAnswer test(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = Sample.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            Caller caller,
            Actor actor) {
        return waiting.on("subscription '" + name + "'", () -> subscriptions.test(name, body, caller, actor));
    }

    @Operation(summary = "List what a subscription was, the newest first")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{name}/revisions")
    Page<RevisionAnswer> revisions(
            @PathVariable String name,
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        return subscriptions.revisions(name, limit, after);
    }

    /**
     * Set by hand: an entity tag that Spring knows of would make it answer 304 to whoever has this revision, though the
     * state may be another.
     */
    private static SubscriptionAnswer tagged(SubscriptionAnswer answer, HttpServletResponse response) {
        response.setHeader(HttpHeaders.ETAG, Preconditions.etag(answer.revision()));
        return answer;
    }
}
