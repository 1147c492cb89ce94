package dev.posthorn.server.types;

import dev.posthorn.audit.Act;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.types.EventType.Definition;
import dev.posthorn.server.types.EventType.Protobuf;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is done to an event type, for the audit. */
final class TypeActs {

    private static final String DESCRIPTOR = "protobuf.descriptor";

    private TypeActs() {}

    static Act create(EventType type) {
        return act("create", type, shown(type));
    }

    static Act change(EventType before, EventType now) {
        Map<String, String> detail = shown(now);
        String changed = changed(fields(before.definition()), fields(now.definition()));
        if (before.seen()) {
            detail.put("seen", "it was registered by its first event before");
        }
        if (!changed.isEmpty()) {
            detail.put("changed", changed);
        }
        return act("change", now, detail);
    }

    static Act delete(EventType type) {
        return act("delete", type, shown(type));
    }

    private static Act act(String verb, EventType type, Map<String, String> detail) {
        return new DocumentAct(DocumentKind.EVENT_TYPE, verb, type.name(), detail).at(type.revision());
    }

    /** Nobody can read a descriptor: that it is another one is all there is to say. */
    private static Map<String, String> shown(EventType type) {
        Map<String, String> fields = fields(type.definition());
        fields.remove(DESCRIPTOR);
        return fields;
    }

    private static String changed(Map<String, String> before, Map<String, String> now) {
        Map<String, String> all = new LinkedHashMap<>(before);
        all.putAll(now);
        return all.keySet().stream()
                .filter(field -> !Objects.equals(before.get(field), now.get(field)))
                .sorted(Comparator.naturalOrder())
                .collect(Collectors.joining(", "));
    }

    private static Map<String, String> fields(Definition definition) {
        Map<String, String> fields = new LinkedHashMap<>();
        putIfGiven(fields, "description", definition.description());
        putIfGiven(fields, "aggregateType", definition.aggregateType());
        putIfGiven(fields, "contentType", definition.contentType());
        putIfGiven(fields, "jsonSchema", definition.jsonSchema());
        Protobuf protobuf = definition.protobuf();
        putIfGiven(fields, "protobuf.message", protobuf == null ? null : protobuf.message());
        putIfGiven(fields, DESCRIPTOR, protobuf == null ? null : protobuf.descriptor());
        putIfGiven(fields, "masks", definition.masks().isEmpty() ? null : String.join(" ", definition.masks()));
        return fields;
    }

    private static void putIfGiven(Map<String, String> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.put(name, value);
        }
    }
}
