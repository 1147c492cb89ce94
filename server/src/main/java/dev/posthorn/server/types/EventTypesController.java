package dev.posthorn.server.types;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.NamedDocuments.Put;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.types.EventTypeDocument.Registered;
import dev.posthorn.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Optional;
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

    private final NamedDocuments<EventType> documents;
    private final EventTypeStore store;
    private final JsonMapper json;

    EventTypesController(NamedDocuments<EventType> documents, EventTypeStore store, JsonMapper json) {
        this.documents = documents;
        this.store = store;
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
        Preconditions conditions = new Preconditions(ifMatch, ifNoneMatch);
        Put<EventType> put = documents.change(
                name,
                conditions,
                () -> documents.find(name).orElse(null),
                before -> before != null && before.isDefinedAs(definition)
                        ? Optional.of(new Put<>(before, false))
                        : store.save(name, before, definition, actor).map(type -> new Put<>(type, before == null)));
        documents.announce();
        return answer(put.created() ? HttpStatus.CREATED : HttpStatus.OK, put.answer());
    }

    @Operation(summary = "Tells what is registered about an event type")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping("/{name}")
    ResponseEntity<Registered> get(@PathVariable String name) {
        EventTypeDocument.requireName(name);
        return answer(HttpStatus.OK, documents.get(name));
    }

    @Operation(
            summary = "Lists the event types by name",
            description =
                    "A page may be short although more follow, if much is said about its types. Only a missing next"
                            + " is the end.")
    @Allowed({Role.VIEWER, Role.OPERATOR})
    @GetMapping
    Page<Registered> list(
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        int size = Page.limit(limit);
        String from = Page.from(after);
        documents.requireReady();
        return store.page(from, size).map(type -> Registered.of(type, json));
    }

    @Operation(summary = "Forgets an event type; where types are open, its next event registers it again")
    @Allowed(Role.ADMIN)
    @DeleteMapping("/{name}")
    ResponseEntity<Void> delete(
            @PathVariable String name,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            Actor actor) {
        EventTypeDocument.requireName(name);
        Preconditions conditions = new Preconditions(ifMatch, null);
        documents.change(name, conditions, () -> documents.find(name).orElse(null), before -> {
            if (before == null) {
                throw documents.notFound(name);
            }
            return store.delete(before, actor) ? Optional.of(before) : Optional.empty();
        });
        documents.announce();
        return ResponseEntity.noContent().build();
    }

    private ResponseEntity<Registered> answer(HttpStatus status, EventType type) {
        return ResponseEntity.status(status)
                .eTag(Preconditions.etag(type.revision()))
                .body(Registered.of(type, json));
    }
}
