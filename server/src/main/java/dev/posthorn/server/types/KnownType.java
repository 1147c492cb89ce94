package dev.posthorn.server.types;

import dev.posthorn.event.Event;
import dev.posthorn.server.json.ContentTypes;
import dev.posthorn.server.masking.Masks;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.types.EventType.Definition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A type as it is held in memory, ready to check events. */
record KnownType(
        long revision,
        Instant createdAt,
        @Nullable String aggregateType,
        @Nullable String contentType,
        Masks masks,
        PayloadCheck payload) {

    static KnownType of(EventType type, PayloadCheck payload) {
        Definition definition = type.definition();
        return new KnownType(
                type.revision(),
                type.createdAt(),
                definition.aggregateType(),
                definition.contentType(),
                masks(definition),
                payload);
    }

    /** What was stored was checked then; if it no longer can be read, nothing is shown rather than everything. */
    private static Masks masks(Definition definition) {
        try {
            return Masks.of(definition.masks());
        } catch (IllegalArgumentException e) {
            return Masks.ALL;
        }
    }

    /** Makes the check of a definition, and so refuses one that none can be made of. */
    static PayloadCheck check(Definition definition, JsonMapper json) {
        if (definition.jsonSchema() != null) {
            return JsonSchemaCheck.compile(definition.jsonSchema(), masks(definition), json);
        }
        return definition.protobuf() == null ? PayloadCheck.ANY : ProtobufCheck.compile(definition.protobuf());
    }

    List<Violation> violations(Event event) {
        List<Violation> found = new ArrayList<>();
        String eventAggregate = event.aggregateType();
        if (aggregateType != null && eventAggregate != null && !aggregateType.equals(eventAggregate)) {
            found.add(Violation.of(
                    "aggregateType",
                    "is '" + eventAggregate + "', but the type " + event.type() + " belongs to '" + aggregateType
                            + "'"));
        }
        if (contentType != null && !isSame(contentType, event.contentType())) {
            found.add(Violation.of(
                    "contentType",
                    "is '" + event.contentType() + "', but the type " + event.type() + " has '" + contentType + "'"));
        } else {
            found.addAll(payload.violations(event));
        }
        return found;
    }

    private static boolean isSame(String one, String other) {
        return ContentTypes.essence(one).equals(ContentTypes.essence(other));
    }
}
