package dev.posthorn.server.guard;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.documents.NamedDocuments.Put;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.json.MergePatch;
import dev.posthorn.server.web.Page;
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
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Guards over REST. */
@RestController
@RequestMapping("/v1/guards")
@Tag(name = "Guards", description = "In front of systems that would act twice")
class GuardController {

    private final HubGuards guards;

    GuardController(HubGuards guards) {
        this.guards = guards;
    }

    @Operation(summary = "List guards by name")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping
    Page<GuardAnswer> list(
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        return guards.list(limit, after);
    }

    @Operation(summary = "Get a guard, without its secrets")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{name}")
    GuardAnswer get(@PathVariable String name, HttpServletResponse response) {
        return tagged(guards.get(name), response);
    }

    @Operation(
            summary = "Create a guard, or change it",
            description =
                    "What GET answers can be sent back as it is: name and revision have to be right, how it stands"
                            + " is ignored.")
    @Allowed({Role.ADMIN})
    @PutMapping(path = "/{name}", consumes = MediaType.APPLICATION_JSON_VALUE)
    GuardAnswer put(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = TargetDocument.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) @Nullable String ifNoneMatch,
            Actor actor,
            HttpServletResponse response) {
        Put<GuardAnswer> put = guards.put(name, body, new Preconditions(ifMatch, ifNoneMatch), actor);
        response.setStatus(put.created() ? HttpStatus.CREATED.value() : HttpStatus.OK.value());
        return tagged(put.answer(), response);
    }

    @Operation(
            summary = "Change some fields of a guard, and leave the others as they are",
            description =
                    "A JSON merge patch (RFC 7396): null takes a field away, an object is merged with the one that"
                            + " is there, an array takes the place of the one that is there. Secrets that are not named stay.")
    @Allowed({Role.ADMIN})
    @PatchMapping(
            path = "/{name}",
            consumes = {MergePatch.TYPE, MediaType.APPLICATION_JSON_VALUE})
    GuardAnswer patch(
            @PathVariable String name,
            @io.swagger.v3.oas.annotations.parameters.RequestBody(
                            content = @Content(schema = @Schema(implementation = TargetDocument.class)))
                    @RequestBody(required = false)
                    byte @Nullable [] body,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            Actor actor,
            HttpServletResponse response) {
        return tagged(guards.patch(name, body, new Preconditions(ifMatch, null), actor), response);
    }

    @Operation(
            summary = "Delete a guard",
            description = "409 while a subscription feeds it, or something is in doubt or under way. What became of its"
                    + " events is remembered for as long as it would have been.")
    @Allowed({Role.ADMIN})
    @DeleteMapping("/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void delete(
            @PathVariable String name,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            Actor actor) {
        guards.delete(name, new Preconditions(ifMatch, null), actor);
    }

    private static GuardAnswer tagged(GuardAnswer answer, HttpServletResponse response) {
        Preconditions.tag(response, answer.revision());
        return answer;
    }
}
