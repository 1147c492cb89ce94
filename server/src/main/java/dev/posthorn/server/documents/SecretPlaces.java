package dev.posthorn.server.documents;

import dev.posthorn.server.web.Parameters;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Where the secrets stand in a document, and how it is taken apart into them and the rest. */
public final class SecretPlaces {

    /** What people see in place of a secret; what follows it there tells that secret from others. */
    public static final String MASK = "********";

    private static final Set<String> OF_AUTH = Set.of("password", "token", "value", "clientSecret", "secret", "key");
    private static final Pattern OF_KAFKA = Pattern.compile("password|jaas|secret|key|token");

    private static final Pattern PLACES_OF_KAFKA = Pattern.compile("\\.(urls?|location|file|class|type)$");

    private SecretPlaces() {}

    /**
     * A document without its secrets.
     *
     * @param secrets by their places, which are written as fields are: {@code sink.auth.token}
     */
    public record Parted(ObjectNode masked, Map<String, String> secrets) {

        public ObjectNode full() {
            return joined(masked, secrets);
        }

        @Override
        public String toString() {
            return masked.toString();
        }
    }

    /** What is stored, as people may see it: an older version stored queries as they were. */
    static ObjectNode shown(ObjectNode stored) {
        return replaced(stored, (place, value) -> isMask(value) ? value : MASK);
    }

    /** Refuses one that has a mask in a part of a URL that is no secret. */
    static void requireWholeUrls(ObjectNode full) {
        JsonNode sink = full.path("sink");
        requireWhole("sink.url", sink.path("url"));
        requireWhole("sink.auth.tokenUrl", sink.path("auth").path("tokenUrl"));
    }

    private static void requireWhole(String place, JsonNode url) {
        if (url.isString() && url.stringValue().contains(MASK)) {
            throw Parameters.refused(
                    place, "holds " + MASK + " where nothing is stored that it could stand for; give the whole URL");
        }
    }

    /** The document with its secrets; those that are masked are taken from the stored ones. */
    static ObjectNode joined(ObjectNode masked, Map<String, String> stored) {
        return replaced(masked, (place, value) -> isMask(value) ? stored(stored, place) : value);
    }

    private static String stored(Map<String, String> stored, String place) {
        String secret = stored.get(place);
        if (secret == null) {
            throw Parameters.refused(place, "is masked, but no secret is stored here; PUT it again with its secrets");
        }
        return secret;
    }

    /** Without what tells secrets apart: whether the same ones stand there is seen by the secrets. */
    static ObjectNode anonymous(ObjectNode masked) {
        return replaced(masked, (place, value) -> isMask(value) ? MASK : value);
    }

    /** What stands in the places of secrets: themselves, or their masks. */
    static Map<String, String> values(ObjectNode document) {
        Map<String, String> found = new LinkedHashMap<>();
        replaced(document, (place, value) -> {
            found.put(place, value);
            return value;
        });
        return found;
    }

    static boolean isMask(String value) {
        return value.startsWith(MASK);
    }

    static ObjectNode replaced(ObjectNode document, BinaryOperator<String> change) {
        ObjectNode copy = document.deepCopy();
        JsonNode sink = copy.path("sink");
        replaceUrl("sink.url", sink, "url", sink.path("secretUrl").asBoolean(false), change);
        replaceUrl("sink.auth.tokenUrl", sink.path("auth"), "tokenUrl", false, change);
        replaceFields("sink.auth", sink.path("auth"), OF_AUTH::contains, change);
        replaceFields("sink.auth.parameters", sink.path("auth").path("parameters"), name -> true, change);
        replaceItems("sink.signingSecrets", sink.path("signingSecrets"), change);
        replaceFields("sink.headers", sink.path("headers"), name -> true, change);
        replaceFields("sink.tls", sink.path("tls"), "clientKey"::equals, change);
        replaceFields("sink.settings", sink.path("settings"), SecretPlaces::isSecretSetting, change);
        return copy;
    }

    /** Receivers are told who is sending by a token in the query, or in the path. */
    private static void replaceUrl(
            String place, @Nullable JsonNode node, String field, boolean withPath, BinaryOperator<String> change) {
        if (node instanceof ObjectNode object && object.path(field).isString()) {
            String url = object.path(field).stringValue();
            int from = withPath ? SecretRecipients.endOfHost(url) : url.indexOf('?');
            if (from >= 0 && from + 1 < url.length()) {
                object.put(field, url.substring(0, from + 1) + change.apply(place, url.substring(from + 1)));
            }
        }
    }

    /** Where a secret is sent to, or read from, is none, whatever its name holds; and it is compared as it stands. */
    static boolean isSecretSetting(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return OF_KAFKA.matcher(lower).find() && !PLACES_OF_KAFKA.matcher(lower).find();
    }

    private static void replaceFields(
            String place, @Nullable JsonNode node, Predicate<String> isSecret, BinaryOperator<String> change) {
        if (node instanceof ObjectNode object) {
            object.properties().stream()
                    .filter(each ->
                            isSecret.test(each.getKey()) && each.getValue().isString())
                    .forEach(each -> each.setValue(changed(place + "." + each.getKey(), each.getValue(), change)));
        }
    }

    private static void replaceItems(String place, @Nullable JsonNode node, BinaryOperator<String> change) {
        if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, changed(place + "[" + i + "]", array.get(i), change));
            }
        }
    }

    private static JsonNode changed(String place, JsonNode value, BinaryOperator<String> change) {
        return StringNode.valueOf(change.apply(place, value.stringValue()));
    }
}
