package dev.posthorn.server.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** To whom, and by which way, a document has its secrets sent: what has to be the same for them to be kept. */
final class SecretRecipients {

    private static final Pattern ORIGIN = Pattern.compile("([^:/?#]+)://([^/?#]*)");

    /** What decides who reads a producer's credentials, and whether others can. */
    private static final Pattern OF_KAFKA = Pattern.compile("(ssl|sasl|security)\\..*");

    private SecretRecipients() {}

    /** The fields by which the two lead elsewhere, as they are written in a sink. */
    static List<String> changed(ObjectNode asked, ObjectNode stored) {
        Map<String, Object> before = of(stored.path("sink"));
        List<String> changed = new ArrayList<>();
        of(asked.path("sink")).forEach((field, value) -> {
            if (!value.equals(before.get(field))) {
                changed.add(field);
            }
        });
        return changed;
    }

    private static Map<String, Object> of(JsonNode sink) {
        Map<String, Object> all = new TreeMap<>();
        all.put("kind", sink.path("kind"));
        all.put("url", origin(sink.path("url")));
        all.put("secretUrl", sink.path("secretUrl").asBoolean(false));
        all.put("auth.tokenUrl", withoutQuery(sink.path("auth").path("tokenUrl")));
        all.put("proxy", sink.path("proxy"));
        all.put("tls.trustOnly", sink.path("tls").path("trustOnly"));
        all.put("tls.alsoTrust", sink.path("tls").path("alsoTrust"));
        all.put("bootstrapServers", sink.path("bootstrapServers"));
        all.put("settings", security(sink.path("settings")));
        return all;
    }

    /** Scheme, host and port: other paths of a host are the same receiver's. */
    private static String origin(JsonNode url) {
        Matcher origin = ORIGIN.matcher(url.asString(""));
        if (!origin.lookingAt()) {
            return url.asString("");
        }
        String scheme = origin.group(1).toLowerCase(Locale.ROOT);
        String authority = origin.group(2).toLowerCase(Locale.ROOT);
        boolean hasPort = authority.matches(".*:[0-9]+");
        return scheme + "://" + authority + (hasPort ? "" : scheme.equals("https") ? ":443" : ":80");
    }

    private static String withoutQuery(JsonNode url) {
        return url.asString("").split("\\?", 2)[0];
    }

    private static Map<String, JsonNode> security(JsonNode settings) {
        Map<String, JsonNode> found = new TreeMap<>();
        settings.properties().forEach(each -> {
            if (OF_KAFKA.matcher(each.getKey()).matches() && !SecretPlaces.isSecretSetting(each.getKey())) {
                found.put(each.getKey(), each.getValue());
            }
        });
        return found;
    }

    /** The place of what ends the host; negative if nothing does. */
    static int endOfHost(String url) {
        Matcher origin = ORIGIN.matcher(url);
        return origin.lookingAt() && origin.end() < url.length() ? origin.end() : -1;
    }
}
