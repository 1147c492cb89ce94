package dev.posthorn.server.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Timestamp;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.server.ingest.TraceContext;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes an event of what came over gRPC, or says which field is wrong. */
final class EventMapping {

    /** The header that keeps the type of a payload that came as a message. */
    static final String TYPE_URL = "protobuf-type-url";

    private static final String PROTOBUF = "application/x-protobuf";
    private static final int NANOS_PER_SECOND = 1_000_000_000;

    private final EventLimits limits;

    EventMapping(EventLimits limits) {
        this.limits = limits;
    }

    Event event(dev.posthorn.v1.Event message, TraceContext trace) {
        try {
            Event event = build(message, trace);
            // Ingest checks it as well, but cannot tell which event of a batch it was.
            limits.check(event);
            return event;
        } catch (PosthornException e) {
            throw Refusals.problem(e).asException();
        }
    }

    private static Event build(dev.posthorn.v1.Event message, TraceContext trace) {
        Event.Builder event = Event.builder().source(message.getSourceService()).type(message.getEventType());
        if (!message.getEventId().isEmpty()) {
            event.id(message.getEventId());
        }
        if (message.getVersion() != 0) {
            event.version(message.getVersion());
        }
        if (!message.getAggregateType().isEmpty()) {
            event.aggregateType(message.getAggregateType());
        }
        if (!message.getKey().isEmpty()) {
            event.key(message.getKey());
        }
        times(event, message);
        data(event, message, trace);
        return event.build();
    }

    private static void times(Event.Builder event, dev.posthorn.v1.Event message) {
        if (message.hasCreatedAt()) {
            event.occurredAt(time("created_at", message.getCreatedAt()));
        }
        if (message.hasDeliverAt()) {
            event.deliverAt(time("deliver_at", message.getDeliverAt()));
        }
    }

    private static Instant time(String field, Timestamp time) {
        long seconds = time.getSeconds();
        int nanos = time.getNanos();
        if (nanos < 0 || nanos >= NANOS_PER_SECOND) {
            throw refused(field + ".nanos", "is " + nanos + "; it must be from 0 to 999,999,999");
        }
        try {
            return Instant.ofEpochSecond(seconds, nanos);
        } catch (DateTimeException | ArithmeticException e) {
            throw refused(field + ".seconds", "is " + seconds + "; it must be in the years 1 to 9999");
        }
    }

    private static void data(Event.Builder event, dev.posthorn.v1.Event message, TraceContext trace) {
        Map<String, String> headers = new LinkedHashMap<>(message.getHeadersMap());
        trace.addTo(headers);
        switch (message.getDataCase()) {
            case PAYLOAD -> event.payload(message.getPayload().toByteArray());
            case MESSAGE -> message(event, message.getMessage(), headers);
            case DATA_NOT_SET ->
                throw refused("payload", "is missing; every event needs a payload (it may be empty) or a message");
        }
        if (!message.getContentType().isEmpty()) {
            event.contentType(message.getContentType());
        }
        event.headers(headers);
    }

    private static void message(Event.Builder event, Any message, Map<String, String> headers) {
        if (message.getTypeUrl().isEmpty()) {
            throw refused("message.type_url", "is missing; pack the message, or send its bytes as the payload");
        }
        headers.put(TYPE_URL, message.getTypeUrl());
        event.payload(message.getValue().toByteArray()).contentType(PROTOBUF);
    }

    private static ProblemException refused(String field, String rule) {
        return Problem.violated(ProblemType.INVALID_EVENT, Violation.of(field, rule))
                .asException();
    }
}
