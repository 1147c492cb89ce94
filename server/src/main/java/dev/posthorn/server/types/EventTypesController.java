package dev.posthorn.server.types;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.types.EventTypeDocument.Registered;
import dev.posthorn.server.types.EventTypeStore.Put;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Preconditions;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** The registry over REST. */
@RestController
@RequestMapping(path = "/v1/event-types", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Event types")
class EventTypesController {

    private final Database database;
    private final EventTypeStore store;
    private final Changes changes;
    private final JsonMapper json;

    EventTypesController(Database database, EventTypeStore store, Changes changes, JsonMapper json) {
        this.database = database;
        this.store = store;
        this.changes = changes;
        this.json = json;
    }

    @Operation(summary = "Registers an event type, or changes what is said about it")
    @Allowed(Role.ADMIN)
    @PutMapping("/{name}")
    ResponseEntity<Registered> put(
            @PathVariable String name,
            @RequestBody EventTypeDocument document,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @RequestHeader(name = "If-None-Match", required = false) @Nullable String ifNoneMatch,
            Actor actor) {
        EventTypeDocument.requireName(name);
        EventType.Definition definition = document.definition(json);
        database.requireReady();
        Put put = store.put(name, definition, new Preconditions(ifMatch, ifNoneMatch), actor);
        changes.look();
        return answer(put.created() ? HttpStatus.CREATED : HttpStatus.OK, put.type());
    }

    @Operation(summary = "Tells what is registered about an event type")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{name}")
    ResponseEntity<Registered> get(@PathVariable String name) {
        EventTypeDocument.requireName(name);
        database.requireReady();
        return answer(HttpStatus.OK, store.find(name).orElseThrow(() -> notFound(name)));
    }

    @Operation(summary = "Lists the event types by name")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping
    Page<Registered> list(
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        int size = Page.limit(limit);
        String last = after == null ? "" : PageToken.parts(after, 1).get(0);
        database.requireReady();
        return Page.of(
                store.page(last, size + 1).stream()
                        .map(type -> Registered.of(type, json))
                        .toList(),
                size,
                type -> PageToken.of(type.name()));
    }

    @Operation(summary = "Forgets an event type; where types are open, its next event registers it again")
    @Allowed(Role.ADMIN)
    @DeleteMapping("/{name}")
    ResponseEntity<Void> delete(
            @PathVariable String name,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            Actor actor) {
        EventTypeDocument.requireName(name);
        database.requireReady();
        if (!store.delete(name, new Preconditions(ifMatch, null), actor)) {
            throw notFound(name);
        }
        changes.look();
        return ResponseEntity.noContent().build();
    }

    private ResponseEntity<Registered> answer(HttpStatus status, EventType type) {
        return ResponseEntity.status(status)
                .eTag(Preconditions.etag(type.revision()))
                .body(Registered.of(type, json));
    }

    private static ProblemException notFound(String name) {
        return Problem.of(
                        ProblemType.NOT_FOUND, "there is no event type '" + name + "'; GET /v1/event-types lists them")
                .asException();
    }
}
