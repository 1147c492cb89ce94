package dev.posthorn.server.ingest;

import dev.posthorn.event.EventLimits;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.json.ContentTypes;
import dev.posthorn.server.json.Json;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.metrics.IngestMetrics.Protocol;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.settings.HubSettings;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
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

    private static final String STRUCTURED = "application/cloudevents+json";
    private static final String BATCH = "application/cloudevents-batch+json";

    private static final EventForm PLAIN = new PlainForm();
    private static final EventForm CLOUD_EVENT = new CloudEventForm();

    private final Ingest ingest;
    private final JsonBody.Rules rules;

    EventsController(Ingest ingest, EventLimits limits, HubSettings settings) {
        HubSettings.Limits asked = settings.limits();
        this.ingest = ingest;
        this.rules = new JsonBody.Rules(Json.factory(asked.depth()), limits, asked.batch(), asked.depth());
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
                                @Content(mediaType = STRUCTURED, schema = @Schema(type = "object")),
                                @Content(mediaType = BATCH, schema = @Schema(type = "array"))
                            }))
    @Allowed(Role.PUBLISHER)
    @PostMapping(path = "/v1/events", produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Object> publish(HttpServletRequest request, @RequestHeader HttpHeaders headers) {
        requireKnown(headers);
        Batch batch = read(WholeBody.read(request), headers);
        List<Recorded> recorded = record(batch);
        HttpStatus status = recorded.stream().allMatch(Recorded::duplicate) ? HttpStatus.OK : HttpStatus.ACCEPTED;
        List<Acknowledgement> answers =
                recorded.stream().map(Acknowledgement::of).toList();
        return ResponseEntity.status(status).body(batch.array() ? answers : answers.get(0));
    }

    private List<Recorded> record(Batch batch) {
        try {
            return ingest.record(batch.events(), Protocol.REST);
        } catch (ProblemException e) {
            throw batch.refusals().renamed(e.problem(), batch.array());
        }
    }

    private Batch read(byte[] body, HttpHeaders headers) {
        TraceContext trace = trace(headers);
        return switch (essence(headers)) {
            case STRUCTURED -> JsonBody.read(rules, body, CLOUD_EVENT, trace, JsonBody.Shape.ONE);
            case BATCH -> JsonBody.read(rules, body, CLOUD_EVENT, trace, JsonBody.Shape.ARRAY);
            default ->
                BinaryEvent.isMeant(headers)
                        ? BinaryEvent.read(headers, body, rules.limits(), trace)
                        : JsonBody.read(rules, body, PLAIN, trace, JsonBody.Shape.EITHER);
        };
    }

    /** Before the body is read, and so before a client that asks first has sent it. */
    private static void requireKnown(HttpHeaders headers) {
        String essence = essence(headers);
        boolean cloudEvents = essence.startsWith("application/cloudevents");
        boolean binary = !cloudEvents && BinaryEvent.isMeant(headers);
        boolean json =
                essence.equals(MediaType.APPLICATION_JSON_VALUE) || essence.equals(STRUCTURED) || essence.equals(BATCH);
        if (!binary && !(json && isUtf8(headers.getFirst(HttpHeaders.CONTENT_TYPE)))) {
            throw Problem.of(
                            ProblemType.UNSUPPORTED_MEDIA_TYPE,
                            "content type '" + Texts.quote(String.valueOf(headers.getFirst(HttpHeaders.CONTENT_TYPE)))
                                    + "' is not understood here; send application/json, " + STRUCTURED + " or " + BATCH
                                    + " in UTF-8, or any content with ce- headers")
                    .asException();
        }
    }

    private static String essence(HttpHeaders headers) {
        String contentType = headers.getFirst(HttpHeaders.CONTENT_TYPE);
        return contentType == null ? MediaType.APPLICATION_JSON_VALUE : ContentTypes.essence(contentType);
    }

    private static boolean isUtf8(@Nullable String contentType) {
        if (contentType == null) {
            return true;
        }
        String lower = contentType.toLowerCase(Locale.ROOT).replace("\"", "").replace(" ", "");
        int charset = lower.indexOf(";charset=");
        return charset < 0 || lower.startsWith("utf-8", charset + ";charset=".length());
    }

    private static TraceContext trace(HttpHeaders headers) {
        List<String> parents = headers.getOrEmpty("traceparent");
        List<String> states = headers.getOrEmpty("tracestate");
        return TraceContext.of(parents.size() == 1 ? parents.get(0) : null, String.join(",", states));
    }
}
