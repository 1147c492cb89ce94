package dev.posthorn.server.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Timestamp;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.server.ingest.TraceContext;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Makes an event of what came over gRPC, or says which fields are wrong. */
final class EventMapping {

    /** The header that keeps the type of a payload that came as a message. */
    static final String TYPE_URL = "protobuf-type-url";

    private static final String PROTOBUF = "application/x-protobuf";
    private static final int MOST_VIOLATIONS = 20;
    private static final int NANOS_PER_SECOND = 1_000_000_000;

    private final EventLimits limits;

    EventMapping(EventLimits limits) {
        this.limits = limits;
    }

    Event event(dev.posthorn.v1.Event message, TraceContext trace) {
        return new Reading(message, trace).event(limits);
    }

    /** One event, and everything that is wrong with it. */
    private static final class Reading {

        private final dev.posthorn.v1.Event message;
        private final Event.Builder event = Event.builder();
        private final Map<String, String> headers;
        private final List<Violation> found = new ArrayList<>();

        Reading(dev.posthorn.v1.Event message, TraceContext trace) {
            this.message = message;
            this.headers = new LinkedHashMap<>(message.getHeadersMap());
            trace.addTo(headers);
        }

        Event event(EventLimits limits) {
            names();
            times();
            data();
            event.headers(headers);
            if (found.isEmpty()) {
                try {
                    Event built = event.build();
                    // Ingest checks it as well, but cannot tell which event of a batch it was.
                    limits.check(built);
                    return built;
                } catch (PosthornException first) {
                    // is among those below
                }
            }
            add(event.faults(limits));
            throw Problem.violated(ProblemType.INVALID_EVENT, found).asException();
        }

        private void names() {
            event.source(message.getSourceService()).type(message.getEventType());
            if (!message.getEventId().isEmpty()) {
                id(message.getEventId());
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
        }

        private void id(String id) {
            try {
                event.id(id);
            } catch (PosthornException e) {
                add(List.of(String.valueOf(e.getMessage())));
            }
        }

        private void times() {
            if (message.hasCreatedAt()) {
                time("created_at", message.getCreatedAt(), event::occurredAt);
            }
            if (message.hasDeliverAt()) {
                time("deliver_at", message.getDeliverAt(), event::deliverAt);
            }
        }

        private void time(String field, Timestamp time, Consumer<Instant> taker) {
            long seconds = time.getSeconds();
            int nanos = time.getNanos();
            if (nanos < 0 || nanos >= NANOS_PER_SECOND) {
                refuse(field + ".nanos", "is " + nanos + "; it must be from 0 to 999,999,999");
                return;
            }
            try {
                taker.accept(Instant.ofEpochSecond(seconds, nanos));
            } catch (DateTimeException | ArithmeticException e) {
                refuse(field + ".seconds", "is " + seconds + "; it must be in the years 1 to 9999");
            }
        }

        private void data() {
            // What is missing is told below, and not by the library's name.
            event.payload(new byte[0]);
            switch (message.getDataCase()) {
                case PAYLOAD -> event.payload(message.getPayload().toByteArray());
                case MESSAGE -> packed(message.getMessage());
                case DATA_NOT_SET ->
                    refuse("payload", "is missing; every event needs a payload (it may be empty) or a message");
            }
            if (!message.getContentType().isEmpty()) {
                event.contentType(message.getContentType());
            }
        }

        private void packed(Any packed) {
            if (packed.getTypeUrl().isEmpty()) {
                refuse("message.type_url", "is missing; pack the message, or send its bytes as the payload");
                return;
            }
            headers.put(TYPE_URL, packed.getTypeUrl());
            event.payload(packed.getValue().toByteArray()).contentType(PROTOBUF);
        }

        private void refuse(String field, String rule) {
            found.add(Violation.of(field, rule));
        }

        /** Takes what the library says, which begins with its own name of the field. */
        private void add(List<String> faults) {
            faults.stream()
                    .limit(MOST_VIOLATIONS - found.size())
                    .map(ProtocolFieldNames::violation)
                    .forEach(found::add);
        }
    }
}
