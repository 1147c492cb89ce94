package dev.posthorn.server.subscriptions;

import dev.posthorn.server.subscriptions.sinks.Assembly;
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

    /** What people see in place of a secret. */
    static final String MASK = "********";

    private static final Set<String> OF_AUTH = Set.of("password", "token", "value", "clientSecret", "secret", "key");
    private static final Pattern OF_KAFKA = Pattern.compile("password|jaas|secret|key|token");

    private SecretPlaces() {}

    /**
     * A document without its secrets.
     *
     * @param secrets by their places, which are written as fields are: {@code sink.auth.token}
     */
    public record Parted(ObjectNode masked, Map<String, String> secrets) {

        @Override
        public String toString() {
            return masked.toString();
        }
    }

    public static Parted part(ObjectNode full) {
        Map<String, String> secrets = new LinkedHashMap<>();
        ObjectNode masked = replaced(full, (place, secret) -> {
            secrets.put(place, secret);
            return MASK;
        });
        return new Parted(masked, secrets);
    }

    /** The document with its secrets; those that are masked are taken from the stored ones. */
    public static ObjectNode joined(ObjectNode masked, Map<String, String> stored) {
        return replaced(masked, (place, value) -> value.equals(MASK) ? stored(stored, place) : value);
    }

    private static String stored(Map<String, String> stored, String place) {
        String secret = stored.get(place);
        if (secret == null) {
            throw Assembly.refusal(
                    place, "is " + MASK + ", which stands for the stored secret, but none is stored here; give it");
        }
        return secret;
    }

    /** Whether a secret is left as it was. */
    public static boolean hasMask(ObjectNode document) {
        boolean[] found = new boolean[1];
        replaced(document, (place, value) -> {
            found[0] |= value.equals(MASK);
            return value;
        });
        return found[0];
    }

    private static ObjectNode replaced(ObjectNode document, BinaryOperator<String> change) {
        ObjectNode copy = document.deepCopy();
        JsonNode sink = copy.path("sink");
        replaceFields("sink.auth", sink.path("auth"), OF_AUTH::contains, change);
        replaceFields("sink.auth.parameters", sink.path("auth").path("parameters"), name -> true, change);
        replaceItems("sink.signingSecrets", sink.path("signingSecrets"), change);
        replaceFields("sink.headers", sink.path("headers"), name -> true, change);
        replaceFields("sink.tls", sink.path("tls"), "clientKey"::equals, change);
        replaceFields("sink.settings", sink.path("settings"), SecretPlaces::isSecretSetting, change);
        return copy;
    }

    private static boolean isSecretSetting(String name) {
        return OF_KAFKA.matcher(name.toLowerCase(Locale.ROOT)).find();
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
