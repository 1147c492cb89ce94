package dev.posthorn.server.masking;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * A JSON text with other texts in place of what is masked. All the rest stays character by character: numbers are not
 * written anew, because that would change them.
 */
final class MaskedJson {

    private final String json;
    private final JsonParser parser;
    private final StringBuilder text = new StringBuilder();
    private final Values values = new Values();
    private int copied;

    private MaskedJson(String json, JsonParser parser) {
        this.json = json;
        this.parser = parser;
    }

    /** The text that may be shown, and the values that may not. */
    record Result(String text, Values values) {}

    /** Throws a JacksonException if it is not JSON within the mapper's limits. */
    static Result of(String json, Masks masks, JsonMapper mapper) {
        // Throws for what follows the document too, which a walk through it would not see.
        mapper.readTree(json);
        try (JsonParser parser = mapper.createParser(json.toCharArray())) {
            parser.nextToken();
            return new MaskedJson(json, parser).walked(masks.place());
        }
    }

    private Result walked(Masks.Place root) {
        walk(root);
        return new Result(text.append(json, copied, json.length()).toString(), values);
    }

    /** The parser stands on the beginning of a value, and then on its end. As deep as the masks are long, at most. */
    private void walk(Masks.Place place) {
        if (place.isMasked()) {
            mask();
        } else if (place.isOpen()) {
            parser.skipChildren();
        } else if (parser.currentToken() == JsonToken.START_OBJECT) {
            for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                parser.nextToken();
                walk(place.at(name));
            }
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                walk(place.at(Integer.toString(i)));
            }
        }
    }

    private void mask() {
        text.append(json, copied, start()).append('"').append(Echoes.MASK).append('"');
        int depth = 0;
        do {
            depth += depth(parser.currentToken());
            collect();
        } while (depth > 0 && parser.nextToken() != null);
        copied = end();
    }

    private static int depth(JsonToken token) {
        return token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    }

    private void collect() {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.PROPERTY_NAME) {
            values.addName(parser.getString());
        } else if (token == JsonToken.VALUE_STRING) {
            values.addText(parser.getString());
            values.addText(json.substring(start() + 1, end() - 1));
        } else if (token.isNumeric()) {
            values.addNumber(parser.getString());
        } else if (token.isBoolean()) {
            values.addWord(parser.getString());
        }
    }

    private int start() {
        return Math.toIntExact(parser.currentTokenLocation().getCharOffset());
    }

    /** Right once the value was asked for: a string is read no sooner. */
    private int end() {
        return Math.toIntExact(parser.currentLocation().getCharOffset());
    }
}
