package dev.posthorn.server.ingest;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.server.json.ContentTypes;
import dev.posthorn.server.json.Json;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.settings.HubSettings;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/** Reads the events of a request, in whichever of the known forms they are. */
public final class IncomingEvents {

    static final String STRUCTURED = "application/cloudevents+json";
    static final String BATCH = "application/cloudevents-batch+json";

    private static final EventForm PLAIN = new PlainForm();
    private static final EventForm CLOUD_EVENT = new CloudEventForm();

    private final JsonBody.Rules rules;

    public IncomingEvents(EventLimits limits, HubSettings settings) {
        HubSettings.Limits asked = settings.limits();
        this.rules = new JsonBody.Rules(Json.factory(asked.depth()), limits, asked.batch(), asked.depth(), false);
    }

    /** What may hold one event or several. */
    byte[] body(HttpServletRequest request, HttpHeaders headers) {
        requireKnown(headers, true);
        return WholeBody.read(request);
    }

    /** One event or several, as the caller likes. */
    Batch read(byte[] body, HttpHeaders headers) {
        return essence(headers).equals(BATCH)
                ? JsonBody.read(rules, body, CLOUD_EVENT, trace(headers), JsonBody.Shape.ARRAY)
                : read(rules, body, headers, JsonBody.Shape.EITHER);
    }

    /**
     * A single event, which has to bring an id: by that it is known if it comes again.
     *
     * @param check refuses it, under the names that fields have in an event
     */
    public Event readOne(HttpServletRequest request, HttpHeaders headers, Consumer<Event> check) {
        requireKnown(headers, false);
        Batch batch = read(rules.needingIds(), WholeBody.read(request), headers, JsonBody.Shape.ONE);
        Event event = batch.events().get(0);
        try {
            check.accept(event);
        } catch (ProblemException e) {
            throw batch.refusals().renamed(e.problem(), false);
        }
        return event;
    }

    private static Batch read(JsonBody.Rules rules, byte[] body, HttpHeaders headers, JsonBody.Shape plain) {
        TraceContext trace = trace(headers);
        if (essence(headers).equals(STRUCTURED)) {
            return JsonBody.read(rules, body, CLOUD_EVENT, trace, JsonBody.Shape.ONE);
        }
        return BinaryEvent.isMeant(headers)
                ? BinaryEvent.read(headers, body, rules.limits(), trace)
                : JsonBody.read(rules, body, PLAIN, trace, plain);
    }

    /** Before the body is read, and so before a client that asks first has sent it. */
    private static void requireKnown(HttpHeaders headers, boolean several) {
        String essence = essence(headers);
        boolean cloudEvents = essence.startsWith("application/cloudevents");
        boolean binary = !cloudEvents && BinaryEvent.isMeant(headers);
        boolean json = essence.equals(MediaType.APPLICATION_JSON_VALUE)
                || essence.equals(STRUCTURED)
                || (several && essence.equals(BATCH));
        if (!binary && !(json && isUtf8(headers.getFirst(HttpHeaders.CONTENT_TYPE)))) {
            throw notUnderstood(headers.getFirst(HttpHeaders.CONTENT_TYPE), several);
        }
    }

    private static ProblemException notUnderstood(@Nullable String contentType, boolean several) {
        String known =
                several ? "application/json, " + STRUCTURED + " or " + BATCH : "application/json or " + STRUCTURED;
        return Problem.of(
                        ProblemType.UNSUPPORTED_MEDIA_TYPE,
                        "content type '" + Texts.quote(String.valueOf(contentType)) + "' is not understood here; send "
                                + known + " in UTF-8, or any content with ce- headers")
                .asException();
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
