package dev.posthorn.server.guard;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.ingest.Conflicts;
import dev.posthorn.server.ingest.IncomingEvents;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.types.EventTypes;
import dev.posthorn.server.web.OutboundLimit;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Takes events that are to be forwarded once. */
@RestController
@Tag(name = "Guards")
class GuardedController {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final HubGuards guards;
    private final Forwarder forwarder;
    private final IncomingEvents incoming;
    private final EventTypes types;
    private final Conflicts conflicts;
    private final OutboundLimit outbound;

    GuardedController(
            HubGuards guards,
            Forwarder forwarder,
            IncomingEvents incoming,
            EventTypes types,
            Conflicts conflicts,
            OutboundLimit outbound) {
        this.guards = guards;
        this.forwarder = forwarder;
        this.incoming = incoming;
        this.types = types;
        this.conflicts = conflicts;
        this.outbound = outbound;
    }

    /**
     * An event that the target has.
     *
     * @param id by which its source knows it
     * @param eventId by which the hub knows it
     * @param duplicate it was forwarded before, and was not again
     * @param status what the target answered; left out if it is an operator who says that it arrived
     * @param reply the beginning of its answer
     */
    record ForwardedAnswer(
            String id,
            UUID eventId,
            boolean duplicate,
            @Nullable Integer status,
            @Nullable String reply) {}

    @Operation(
            summary = "Forward an event to the system behind a guard, once",
            description =
                    "Takes one event, in the same forms as POST /v1/events; it must have an id. 200: the target has"
                            + " it, now or since before. 422: the target refused it, now or before. 409: it is in doubt (type"
                            + " in-doubt), is being forwarded at this moment, was abandoned, or its id has another content. 503:"
                            + " the target has certainly not acted; send it again.",
            requestBody =
                    @RequestBody(
                            required = true,
                            content = {
                                @Content(
                                        mediaType = MediaType.APPLICATION_JSON_VALUE,
                                        schema = @Schema(ref = "#/components/schemas/EventDocument")),
                                @Content(mediaType = "application/cloudevents+json", schema = @Schema(type = "object"))
                            }))
    @Allowed(Role.PUBLISHER)
    @PostMapping(path = "/v1/guard/{name}", produces = MediaType.APPLICATION_JSON_VALUE)
    ForwardedAnswer forward(
            @PathVariable String name, HttpServletRequest request, @RequestHeader HttpHeaders headers, Caller caller) {
        guards.requireReady();
        Event event = incoming.readOne(request, headers, read -> check(name, read, caller));
        if (event.deliverAt() != null) {
            throw Parameters.refused(
                    "deliverAt",
                    "is given, but a guard forwards at once; leave it out, or publish the event and feed the guard by a"
                            + " subscription");
        }
        if (!guards.isKnown(name)) {
            throw DocumentKind.GUARD.notFound(name);
        }
        return forward(name, event, caller);
    }

    /** An id that another source has used is no reason to refuse the event: it is known under its source then. */
    private ForwardedAnswer forward(String name, Event event, Caller caller) {
        Verdict verdict = outbound.on("guard '" + name + "'", () -> verdict(name, event));
        if (verdict instanceof Verdict.AnotherContent another) {
            if (!another.source().equals(event.source())) {
                return forward(name, event.underItsSource(), caller);
            }
            conflicts.count(caller, List.of(event));
        }
        if (verdict instanceof Verdict.Forwarded forwarded) {
            return new ForwardedAnswer(
                    event.givenId(), event.id(), forwarded.duplicate(), forwarded.status(), forwarded.reply());
        }
        throw ForwardProblems.of(name, event, verdict).asException();
    }

    /** The same rules as for publishing; as there, what came before kept those of its time. */
    private void check(String guard, Event event, Caller caller) {
        List<Event> one = List.of(event);
        caller.requireMayPublish(one);
        conflicts.require(caller, one);
        try {
            types.check(one, Set.of());
        } catch (ProblemException refused) {
            if (!forwarder.isKnown(guard, event)) {
                throw refused;
            }
        }
    }

    private Verdict verdict(String guard, Event event) {
        CompletableFuture<Verdict> verdict = new CompletableFuture<>();
        forwarder.forward(guard, new RecordedEvent(0, event, Instant.now()), PATIENCE, () -> true, verdict::complete);
        try {
            return verdict.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw ForwardProblems.noResultYet(event).asException();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ForwardProblems.noResultYet(event).asException();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a verdict is never an exception", e);
        }
    }
}
