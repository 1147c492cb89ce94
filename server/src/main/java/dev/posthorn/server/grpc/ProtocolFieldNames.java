package dev.posthorn.server.grpc;

import dev.posthorn.server.problem.Violation;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An event's fields as the protocol calls them, where the rest of the hub has other names. */
final class ProtocolFieldNames {

    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("id", "event_id"),
            Map.entry("type", "event_type"),
            Map.entry("source", "source_service"),
            Map.entry("occurredAt", "created_at"),
            Map.entry("aggregateType", "aggregate_type"),
            Map.entry("deliverAt", "deliver_at"),
            Map.entry("contentType", "content_type"),
            Map.entry("header", "headers"),
            Map.entry("data", "payload"),
            Map.entry("dataBase64", "payload"));

    private static final Set<String> SAME = Set.of("version", "key", "headers", "payload");

    private static final Pattern FIRST_NAME = Pattern.compile("([A-Za-z0-9]+)(.*)", Pattern.DOTALL);
    private static final Pattern SENTENCE = Pattern.compile("([A-Za-z]+):? (.*)", Pattern.DOTALL);

    private ProtocolFieldNames() {}

    /** The field's path with the protocol's name in front: {@code data.user.email} is {@code payload.user.email}. */
    static String inProtocol(String path) {
        Matcher parts = FIRST_NAME.matcher(path);
        if (!parts.matches() || parts.group(2).startsWith("_")) {
            return path;
        }
        return OTHERS.getOrDefault(parts.group(1), parts.group(1)) + parts.group(2);
    }

    /** What a refusal of the library says, which begins with the field's name. */
    static Violation violation(String message) {
        Matcher parts = SENTENCE.matcher(message);
        if (!parts.matches() || !isKnown(parts.group(1))) {
            return Violation.of("", message);
        }
        String field = parts.group(1);
        // "header x holds ..." makes no sense without its first word.
        return Violation.of(inProtocol(field), field.equals("header") ? message : parts.group(2));
    }

    private static boolean isKnown(String field) {
        return SAME.contains(field) || OTHERS.containsKey(field);
    }
}
