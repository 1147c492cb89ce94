package dev.posthorn.server.types;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.server.json.ContentTypes;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.masking.Masks;
import dev.posthorn.server.types.EventType.Definition;
import dev.posthorn.server.types.EventType.Protobuf;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is said about an event type. */
record EventTypeDocument(
        @Nullable String description,

        @Schema(description = "what kind of thing it happens to; an event may leave it out, not contradict it")
        @Nullable
        String aggregateType,

        @Schema(description = "media type of the data") @Nullable
        String contentType,

        @Schema(description = "a JSON Schema, an object or a boolean", type = "object") @Nullable
        JsonNode jsonSchema,

        @Nullable ProtobufDocument protobuf,

        @Schema(
                description = "JSON pointers to what of the data only keys with payload see; * stands for every element"
                        + " of an array or object",
                example = "[\"/customer/email\", \"/cards/*/number\"]")
        @Nullable
        List<@Nullable String> masks) {

    private static final int LONGEST_DESCRIPTION = 10_000;

    /** What is said about types is held in memory, by every instance, as objects of many times its length. */
    private static final int LONGEST_SCHEMA = 250_000;

    private static final int LONGEST_DESCRIPTOR = 1_000_000;

    /** Where the message of a type is described. */
    record ProtobufDocument(
            @Schema(description = "Base64 of a FileDescriptorSet with its imports") @Nullable
            String descriptor,

            @Schema(description = "full name of the message") @Nullable
            String message) {}

    /** The type as it is answered. */
    @JsonPropertyOrder({"name", "revision", "seen", "description"})
    record Registered(
            String name,
            long revision,
            boolean seen,
            @Nullable String description,
            @Nullable String aggregateType,
            @Nullable String contentType,
            @Schema(type = "object") @Nullable JsonNode jsonSchema,
            @Nullable ProtobufDocument protobuf,
            @Nullable List<String> masks,
            Instant createdAt,
            Instant changedAt) {

        static Registered of(EventType type, JsonMapper json) {
            Definition definition = type.definition();
            Protobuf protobuf = definition.protobuf();
            return new Registered(
                    type.name(),
                    type.revision(),
                    type.seen(),
                    definition.description(),
                    definition.aggregateType(),
                    definition.contentType(),
                    definition.jsonSchema() == null ? null : json.readTree(definition.jsonSchema()),
                    protobuf == null ? null : new ProtobufDocument(protobuf.descriptor(), protobuf.message()),
                    definition.masks().isEmpty() ? null : definition.masks(),
                    type.createdAt(),
                    type.changedAt());
        }
    }

    /** A name follows the rules of an event's type, because it is one. */
    static void requireName(String name) {
        require("name", "type", Event.builder().type(name));
    }

    /** What is to be stored, once everything about it is right. */
    Definition definition(JsonMapper json) {
        requireText("description", description, LONGEST_DESCRIPTION);
        if (aggregateType != null) {
            require(
                    "aggregateType",
                    "aggregateType",
                    Event.builder().type("any").aggregateType(aggregateType));
        }
        if (contentType != null) {
            require("contentType", "contentType", Event.builder().type("any").contentType(contentType));
        }
        Definition definition =
                new Definition(description, aggregateType, contentType, schema(), message(), checkedMasks());
        requireOneForm(definition);
        KnownType.check(definition, json);
        return definition;
    }

    private static void requireOneForm(Definition definition) {
        if (definition.jsonSchema() != null && definition.protobuf() != null) {
            throw BadDefinition.of("protobuf", "is given beside jsonSchema; give one of them");
        }
        String contentType = definition.contentType();
        if (definition.jsonSchema() != null && contentType != null && !ContentTypes.isJson(contentType)) {
            throw BadDefinition.of("contentType", "must be JSON for a type with a JSON Schema, or be left out");
        }
    }

    private @Nullable String schema() {
        if (jsonSchema == null || jsonSchema.isNull()) {
            return null;
        }
        if (!jsonSchema.isObject() && !jsonSchema.isBoolean()) {
            throw BadDefinition.of("jsonSchema", "must be a JSON Schema: an object or a boolean");
        }
        String text = jsonSchema.toString();
        requireText("jsonSchema", text, LONGEST_SCHEMA);
        return text;
    }

    private @Nullable Protobuf message() {
        if (protobuf == null) {
            return null;
        }
        if (protobuf.descriptor() == null || protobuf.message() == null) {
            throw BadDefinition.of(
                    protobuf.descriptor() == null ? "protobuf.descriptor" : "protobuf.message",
                    "is missing; a message needs both");
        }
        requireText("protobuf.descriptor", protobuf.descriptor(), LONGEST_DESCRIPTOR);
        return new Protobuf(protobuf.descriptor(), protobuf.message());
    }

    private List<String> checkedMasks() {
        if (masks == null) {
            return List.of();
        }
        if (masks.size() > Masks.MOST) {
            throw BadDefinition.of(
                    "masks",
                    "has " + masks.size() + " pointers; the limit is " + Masks.MOST
                            + ". Mask what is around them, or use * for every element");
        }
        Set<String> checked = new LinkedHashSet<>();
        for (int i = 0; i < masks.size(); i++) {
            checked.add(mask("masks[" + i + "]", masks.get(i)));
        }
        return List.copyOf(checked);
    }

    private static String mask(String field, @Nullable String pointer) {
        if (pointer == null) {
            throw BadDefinition.of(field, "is null; give a JSON pointer, such as /customer/email");
        }
        try {
            Masks.check(pointer);
            return pointer;
        } catch (IllegalArgumentException e) {
            throw BadDefinition.of(field, String.valueOf(e.getMessage()));
        }
    }

    private static void requireText(String field, @Nullable String text, int longest) {
        if (text == null) {
            return;
        }
        if (text.length() > longest) {
            throw BadDefinition.of(field, "has " + text.length() + " characters; the limit is " + longest);
        }
        if (!Texts.isWellFormed(text) || text.indexOf('\0') >= 0) {
            throw BadDefinition.of(field, "holds a NUL or half a surrogate pair, which are no characters");
        }
    }

    /** Lets an event judge: the rules are those of its fields. */
    private static void require(String field, String eventField, Event.Builder event) {
        try {
            event.source("any").payload(new byte[0]).build();
        } catch (PosthornException e) {
            String message = Texts.printable(String.valueOf(e.getMessage()));
            throw BadDefinition.of(
                    field, message.startsWith(eventField + " ") ? message.substring(eventField.length() + 1) : message);
        }
    }
}
