package dev.posthorn.server.documents;

import dev.posthorn.audit.Act;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is done to a document, for the audit.
 *
 * @param detail besides its revision
 */
public record DocumentAct(DocumentKind kind, String verb, String name, Map<String, String> detail) {

    /** What it is from now on, without its secrets. */
    public static DocumentAct create(DocumentKind kind, String name, DocumentContent content) {
        return new DocumentAct(kind, "create", name, Map.of("document", content.document()));
    }

    /** The same, of one that was there. */
    public static DocumentAct change(DocumentKind kind, String name, DocumentContent content, List<String> changed) {
        return new DocumentAct(
                kind, "change", name, Map.of("document", content.document(), "changed", String.join(", ", changed)));
    }

    public static DocumentAct delete(DocumentKind kind, String name) {
        return new DocumentAct(kind, "delete", name, Map.of());
    }

    public Act at(long revision) {
        return at(revision, null);
    }

    public Act at(long revision, @Nullable String reason) {
        Map<String, String> whole = new LinkedHashMap<>(detail);
        whole.put("revision", Long.toString(revision));
        return new Act(kind.noun() + "." + verb, kind.noun() + "/" + name, whole, null, reason);
    }
}
