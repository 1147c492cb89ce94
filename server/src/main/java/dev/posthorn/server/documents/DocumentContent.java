package dev.posthorn.server.documents;

import dev.posthorn.server.secrets.Encrypted;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is to be stored of a document.
 *
 * @param document with masks in place of its secrets
 * @param secrets null if it has none
 */
public record DocumentContent(String document, @Nullable Encrypted secrets) {

    /** For a statement, beside the document's name. */
    public Map<String, @Nullable Object> values(String name) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("name", name);
        values.put("document", document);
        values.put("secrets", secrets == null ? null : secrets.bytes());
        values.put("key_id", secrets == null ? null : secrets.keyId());
        return values;
    }
}
