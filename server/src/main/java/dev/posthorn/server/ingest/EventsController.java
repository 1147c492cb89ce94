package dev.posthorn.server.ingest;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.metrics.IngestMetrics.Protocol;
import dev.posthorn.server.problem.ProblemException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Takes events over REST. */
@RestController
@Tag(name = "Events")
class EventsController {

    private final Ingest ingest;
    private final IncomingEvents incoming;

    EventsController(Ingest ingest, IncomingEvents incoming) {
        this.ingest = ingest;
        this.incoming = incoming;
    }

    @Operation(
            summary = "Publishes one event or an array of them, all or nothing",
            description = "Also takes CloudEvents 1.0 in the binary, the structured and the batch form.",
            requestBody =
                    @RequestBody(
                            required = true,
                            content = {
                                @Content(
                                        mediaType = MediaType.APPLICATION_JSON_VALUE,
                                        schema = @Schema(oneOf = {EventDocument.class, EventDocument[].class})),
                                @Content(mediaType = IncomingEvents.STRUCTURED, schema = @Schema(type = "object")),
                                @Content(mediaType = IncomingEvents.BATCH, schema = @Schema(type = "array"))
                            }))
    @Allowed(Role.PUBLISHER)
    @PostMapping(path = "/v1/events", produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Object> publish(HttpServletRequest request, @RequestHeader HttpHeaders headers, Caller caller) {
        Batch batch = read(incoming.body(request, headers), headers);
        List<Recorded> recorded = record(batch, caller);
        HttpStatus status = recorded.stream().allMatch(Recorded::duplicate) ? HttpStatus.OK : HttpStatus.ACCEPTED;
        List<Acknowledgement> answers =
                recorded.stream().map(Acknowledgement::of).toList();
        return ResponseEntity.status(status).body(batch.array() ? answers : answers.get(0));
    }

    private Batch read(byte[] body, HttpHeaders headers) {
        try {
            return incoming.read(body, headers);
        } catch (ProblemException e) {
            ingest.refused(e.problem(), Protocol.REST);
            throw e;
        }
    }

    private List<Recorded> record(Batch batch, Caller caller) {
        try {
            return ingest.record(batch.events(), caller, Protocol.REST);
        } catch (ProblemException e) {
            throw batch.refusals().renamed(e.problem(), batch.array());
        }
    }
}
