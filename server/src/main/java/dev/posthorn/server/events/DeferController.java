package dev.posthorn.server.events;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.CommandAnswer;
import dev.posthorn.deadletter.CommandTicket;
import dev.posthorn.deadletter.Commands;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.subscriptions.RelayKeeper;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.status.FullEvent;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Puts events off. */
@RestController
@Tag(name = "Events")
class DeferController {

    /** An owner that is another instance looks for commands about once a second. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final EventFinder finder;
    private final Commands commands;
    private final JsonMapper mapper;

    DeferController(EventFinder finder, Database database, RelayKeeper relay, JsonMapper mapper) {
        this.finder = finder;
        this.commands = new Commands(database.calls(), database.schema(), relay::tend);
        this.mapper = mapper;
    }

    /**
     * What is asked for.
     *
     * @param subscription for which the event is put off
     * @param until not before this time is it sent
     */
    record DeferRequest(
            @Nullable String subscription, @Nullable Instant until) {}

    /**
     * What came of it.
     *
     * @param command the number under which it was asked of the lane's owner
     * @param answer what the owner says; left out if it has not come to it yet
     */
    record DeferAnswer(
            long command, @Nullable String answer, @Nullable Instant answeredAt) {}

    @Operation(
            summary = "Send an event to a subscription not before a time",
            description =
                    "200: it is put off. 202: the subscription's relay has not answered within two seconds and may"
                            + " still do it. 409: too late, it is being sent, was sent, or has failed.")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = DeferRequest.class)))
    @PostMapping(
            path = "/v1/events/{id}/defer",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ResponseEntity<DeferAnswer> defer(
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String source,
            @RequestBody(required = false) byte @Nullable [] body,
            Actor actor) {
        DeferRequest request = read(body);
        String subscription = required("subscription", request.subscription());
        Instant until = required("until", request.until());
        FullEvent event = finder.event(id, source);
        CommandTicket ticket = commands.defer(
                subscription, event.event().event().id(), event.event().seq(), until, actor);
        return answer(ticket, commands.await(ticket.id(), PATIENCE));
    }

    private DeferRequest read(byte @Nullable [] body) {
        try {
            DeferRequest request = mapper.readValue(body == null ? new byte[0] : body, DeferRequest.class);
            if (request != null) {
                return request;
            }
        } catch (JacksonException notWhatWeAskFor) {
            // Its words speak of Java classes.
        }
        throw Problem.of(
                        ProblemType.INVALID_REQUEST,
                        "the body must be like {\"subscription\": \"billing\", \"until\": \"2026-01-31T12:00:00Z\"},"
                                + " with no other field")
                .asException();
    }

    private static <T> T required(String field, @Nullable T value) {
        if (value == null) {
            throw Parameters.refused(field, "is missing; give it in the body");
        }
        return value;
    }

    private static ResponseEntity<DeferAnswer> answer(CommandTicket ticket, Optional<CommandAnswer> answer) {
        if (answer.isEmpty()) {
            return ResponseEntity.status(HttpStatus.ACCEPTED).body(new DeferAnswer(ticket.id(), null, null));
        }
        CommandAnswer given = answer.get();
        if (given.text().startsWith("too late")) {
            throw Problem.of(ProblemType.CONFLICT, given.text()).asException();
        }
        return ResponseEntity.ok(new DeferAnswer(ticket.id(), given.text(), given.answeredAt()));
    }
}
