package dev.posthorn.server.subscriptions.sinks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Where the secrets stand in a document, and how it is taken apart into them and the rest. */
public final class SecretPlaces {

    /** What people see in place of a secret. */
    public static final String MASK = "********";

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

    /**
     * What a caller asks for, with the stored secrets in the places that it left masked. A secret is kept only for the one
     * that it was given for: whoever can change a subscription could otherwise have it sent to a host of their own.
     *
     * @param before what is stored, null if nothing is
     * @param secrets its secrets
     */
    public static ObjectNode restored(
            ObjectNode asked, @Nullable ObjectNode before, Supplier<Map<String, String>> secrets) {
        Optional<String> kept = firstMasked(asked);
        if (kept.isEmpty()) {
            return requireWholeUrls(asked);
        }
        if (before == null) {
            return joined(asked, Map.of());
        }
        List<String> moved = Whereabouts.changed(asked, before);
        if (!moved.isEmpty()) {
            throw Assembly.refusal(
                    kept.get(),
                    "is " + MASK + ", which stands for the stored secret, but " + moved.get(0)
                            + " is another than before and a secret does not follow it; give it anew");
        }
        Map<String, String> known = new LinkedHashMap<>(part(before).secrets());
        known.values().removeIf(MASK::equals);
        known.putAll(secrets.get());
        return requireWholeUrls(joined(asked, known));
    }

    private static ObjectNode requireWholeUrls(ObjectNode document) {
        JsonNode sink = document.path("sink");
        requireWhole("sink.url", sink.path("url"));
        requireWhole("sink.auth.tokenUrl", sink.path("auth").path("tokenUrl"));
        return document;
    }

    private static void requireWhole(String place, JsonNode url) {
        if (url.isString() && url.stringValue().contains(MASK)) {
            throw Assembly.refusal(
                    place, "holds " + MASK + " where nothing is stored that it could stand for; give the whole URL");
        }
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

    /** The first place whose secret is left as it was. */
    private static Optional<String> firstMasked(ObjectNode document) {
        List<String> found = new ArrayList<>();
        replaced(document, (place, value) -> {
            if (value.equals(MASK)) {
                found.add(place);
            }
            return value;
        });
        return found.stream().findFirst();
    }

    private static ObjectNode replaced(ObjectNode document, BinaryOperator<String> change) {
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
            int from = withPath ? Whereabouts.endOfHost(url) : url.indexOf('?');
            if (from >= 0 && from + 1 < url.length()) {
                object.put(field, url.substring(0, from + 1) + change.apply(place, url.substring(from + 1)));
            }
        }
    }

    static boolean isSecretSetting(String name) {
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
