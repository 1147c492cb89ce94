package dev.posthorn.server.types;

import dev.posthorn.server.documents.NamedDocument;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A type as it is registered.
 *
 * @param seen it was registered by its first event, and by nobody else
 */
record EventType(String name, long revision, boolean seen, Instant createdAt, Instant changedAt, Definition definition)
        implements NamedDocument {

    /** Whether somebody said just this about it. */
    boolean isDefinedAs(Definition wanted) {
        return !seen && definition.equals(wanted);
    }

    /**
     * What somebody says about it.
     *
     * @param jsonSchema as JSON text
     * @param masks JSON pointers to what of the payload not everybody may see
     */
    record Definition(
            @Nullable String description,
            @Nullable String aggregateType,
            @Nullable String contentType,
            @Nullable String jsonSchema,
            @Nullable Protobuf protobuf,
            List<String> masks) {

        Definition {
            masks = List.copyOf(masks);
        }
    }

    /**
     * A Protobuf message.
     *
     * @param descriptor Base64 of the FileDescriptorSet that holds it
     */
    record Protobuf(String descriptor, String message) {}
}
