package dev.posthorn.server.json;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A document that says only what is to be changed of another: null takes a field away, all others stay (RFC 7396). */
public final class MergePatch {

    /** The media type. */
    public static final String TYPE = "application/merge-patch+json";

    private MergePatch() {}

    /** The target as the patch wants it. */
    public static ObjectNode applied(ObjectNode patch, ObjectNode target) {
        ObjectNode merged = target.deepCopy();
        for (Map.Entry<String, JsonNode> each : patch.properties()) {
            if (each.getValue().isNull()) {
                merged.remove(each.getKey());
            } else {
                merged.set(each.getKey(), merged(each.getValue(), merged.path(each.getKey())));
            }
        }
        return merged;
    }

    private static JsonNode merged(JsonNode wanted, JsonNode before) {
        if (!(wanted instanceof ObjectNode patch)) {
            return wanted;
        }
        return applied(patch, before instanceof ObjectNode target ? target : patch.objectNode());
    }
}
