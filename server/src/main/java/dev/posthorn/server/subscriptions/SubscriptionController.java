package dev.posthorn.server.subscriptions;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.posthorn.audit.Actor;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.documents.NamedDocuments.Put;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.documents.ReasonDocument;
import dev.posthorn.server.json.MergePatch;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import dev.posthorn.server.web.OutboundLimit;
import dev.posthorn.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
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
    private final SubscriptionViews views;
    private final SubscriptionActions actions;
    private final SubscriptionTrials trials;
    private final SecretRotation rotation;
    private final OutboundLimit outbound;

    SubscriptionController(
            HubSubscriptions subscriptions,
            SubscriptionViews views,
            SubscriptionActions actions,
            SubscriptionTrials trials,
            SecretRotation rotation,
            OutboundLimit outbound) {
        this.subscriptions = subscriptions;
        this.views = views;
        this.actions = actions;
        this.trials = trials;
        this.rotation = rotation;
        this.outbound = outbound;
    }

    @Operation(summary = "List subscriptions by name")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping
    Page<SubscriptionAnswer> list(
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        return views.list(limit, after);
    }

    @Operation(summary = "Get a subscription, without its secrets")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{name}")
    SubscriptionAnswer get(@PathVariable String name, HttpServletResponse response) {
        return tagged(views.get(name), response);
    }

    @Operation(
            summary = "Create a subscription, or change it",
            description =
                    "What GET answers can be sent back as it is: name and revision have to be right, how it stands"
                            + " is ignored.")
    @Allowed({Role.ADMIN})
    @PutMapping(path = "/{name}", consumes = MediaType.APPLICATION_JSON_VALUE)
    SubscriptionAnswer put(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = SubscriptionDocument.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) @Nullable String ifNoneMatch,
            Actor actor,
            HttpServletResponse response) {
        Put<SubscriptionAnswer> put = subscriptions.put(name, body, new Preconditions(ifMatch, ifNoneMatch), actor);
        response.setStatus(put.created() ? HttpStatus.CREATED.value() : HttpStatus.OK.value());
        return tagged(put.answer(), response);
    }

    /** What is asked for; it is read by {@link ManySubscriptions}, so that everything is told that is wrong with it. */
    record ManyRequest(List<NamedSubscription> subscriptions) {}

    /** A subscription with its name, which a path does not tell here. */
    record NamedSubscription(String name, @JsonUnwrapped SubscriptionDocument document) {}

    @Operation(
            summary = "Create up to 1,000 subscriptions, all of them or none",
            description =
                    "Each is the document that PUT takes, with its name. One that is there already and is as it is asked for"
                            + " is left alone, so that a call can be repeated; 409 if one is there with another document. What is"
                            + " wrong is told by field, as subscriptions[3].sink.url. 201 if any was created.")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = ManyRequest.class)))
    @Allowed({Role.ADMIN})
    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    ManySubscriptions.ManyAnswer makeMany(
            @RequestBody(required = false) byte @Nullable [] body, Actor actor, HttpServletResponse response) {
        ManySubscriptions.ManyAnswer answer = subscriptions.makeMany(body, actor);
        response.setStatus(answer.isAnyCreated() ? HttpStatus.CREATED.value() : HttpStatus.OK.value());
        return answer;
    }

    @Operation(
            summary = "Change some fields of a subscription, and leave the others as they are",
            description =
                    "A JSON merge patch (RFC 7396): null takes a field away, an object is merged with the one that"
                            + " is there, an array takes the place of the one that is there. Secrets that are not named stay.")
    @Allowed({Role.ADMIN})
    @PatchMapping(
            path = "/{name}",
            consumes = {MergePatch.TYPE, MediaType.APPLICATION_JSON_VALUE})
    SubscriptionAnswer patch(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = SubscriptionDocument.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            Actor actor,
            HttpServletResponse response) {
        return tagged(subscriptions.patch(name, body, new Preconditions(ifMatch, null), actor), response);
    }

    @Operation(summary = "Delete a subscription with its place, its waiting events and its dead letters")
    @Allowed({Role.ADMIN})
    @DeleteMapping("/{name}")
    void delete(
            @PathVariable String name,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            Actor actor,
            HttpServletResponse response) {
        boolean gone = actions.delete(name, new Preconditions(ifMatch, null), actor);
        response.setStatus(gone ? HttpStatus.NO_CONTENT.value() : HttpStatus.ACCEPTED.value());
    }

    @Operation(
            summary = "Pause a subscription: nothing is sent until it is resumed, and nothing is lost",
            description =
                    "200: no instance sends any more, and nothing is on its way. 202: it is being paused, but some"
                            + " instance has something on its way or has not been heard of within three seconds; the state is"
                            + " pausing until then.")
    @Allowed({Role.OPERATOR})
    @PostMapping(path = "/{name}/pause", consumes = MediaType.APPLICATION_JSON_VALUE)
    SubscriptionAnswer pause(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = ReasonDocument.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            Actor actor,
            HttpServletResponse response) {
        SubscriptionAnswer answer = actions.pause(name, body, actor);
        response.setStatus(answer.state() == State.PAUSING ? HttpStatus.ACCEPTED.value() : HttpStatus.OK.value());
        return tagged(answer, response);
    }

    @Operation(summary = "Resume a subscription where it was paused")
    @Allowed({Role.OPERATOR})
    @PostMapping(path = "/{name}/resume", consumes = MediaType.APPLICATION_JSON_VALUE)
    SubscriptionAnswer resume(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = ReasonDocument.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            Actor actor,
            HttpServletResponse response) {
        return tagged(actions.resume(name, body, actor), response);
    }

    @Operation(
            summary = "Make a new signing secret, and show it this once",
            description = "The former one signs too until the grace has passed; then the hub drops it. 409 if the"
                    + " subscription does not sign, or has a former secret already.")
    @Allowed({Role.ADMIN})
    @PostMapping(path = "/{name}/rotate-secret", consumes = MediaType.APPLICATION_JSON_VALUE)
    SecretRotation.RotatedSecret rotateSecret(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = SecretRotation.RotationRequest.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            Actor actor,
            HttpServletResponse response) {
        SecretRotation.RotatedSecret rotated = rotation.rotate(name, body, new Preconditions(ifMatch, null), actor);
        Preconditions.tag(response, rotated.revision());
        return rotated;
    }

    @Operation(summary = "Send a marked sample straight to the receiver and tell what came back")
    @Allowed({Role.OPERATOR})
    @PostMapping(path = "/{name}/test", consumes = MediaType.APPLICATION_JSON_VALUE)
    TrialAnswer test(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = Sample.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            Caller caller,
            Actor actor) {
        return outbound.on("subscription '" + name + "'", () -> trials.test(name, body, caller, actor));
    }

    /**
     * What would become of it if it were put.
     *
     * @param valid whether it would be taken
     * @param exists whether there is one of that name, which would be changed
     * @param changed the fields that would be others
     * @param violations what is wrong, by field
     */
    record CheckAnswer(boolean valid, boolean exists, List<String> changed, List<Violation> violations) {}

    @Operation(
            summary = "Tell whether a subscription would be taken as it is, and store nothing",
            description =
                    "The document that PUT takes, with its name. 200 also if it is wrong: what is wrong is told by field. A"
                            + " receiver's name is looked up, and nothing is sent to it.")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = NamedSubscription.class)))
    @Allowed({Role.ADMIN})
    @PostMapping(
            path = "/check",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    CheckAnswer check(@RequestBody(required = false) byte @Nullable [] body) {
        return outbound.on("names of receivers", () -> subscriptions.check(body));
    }

    @Operation(summary = "List what a subscription was, the newest first")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{name}/revisions")
    Page<RevisionAnswer> revisions(
            @PathVariable String name,
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        return views.revisions(name, limit, after);
    }

    /** What an application serves has no revision. */
    private static SubscriptionAnswer tagged(SubscriptionAnswer answer, HttpServletResponse response) {
        if (answer.revision() != null) {
            Preconditions.tag(response, answer.revision());
        }
        return answer;
    }
}
