package dev.posthorn.server.events;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.server.json.ContentTypes;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.web.Parameters;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event's payload in an answer: as JSON if it says that it is and is, else as Base64. All are null if it is not
 * wanted, or hidden. {@link EventViews} makes it, for those who may see it.
 *
 * @param text in place of the JSON, if that is wanted
 * @param decoded what its type's Protobuf descriptor makes of it
 * @param hidden true if the caller may not see it, else null
 */
public record Payload(
        @Nullable String json,
        @Nullable String text,
        @Nullable String base64,
        @Nullable String decoded,
        @Nullable Boolean hidden) {

    static final Payload LEFT_OUT = new Payload(null, null, null, null, null);
    static final Payload HIDDEN = new Payload(null, null, null, null, true);

    /** How it is wanted. */
    public enum Form {
        NONE,
        JSON,
        /** JSON as a text, which nobody on the way takes apart. */
        TEXT;

        /** As a caller writes it. */
        public static Form of(String text) {
            return switch (text) {
                case "false" -> NONE;
                case "true" -> JSON;
                case "text" -> TEXT;
                default ->
                    throw Parameters.refused(
                            "payload", "is '" + Texts.quote(text) + "'; it must be true, false or text");
            };
        }
    }

    /** That JSON in the form in which it is wanted. */
    static Payload of(String json, Form form) {
        return form == Form.TEXT
                ? new Payload(null, json, null, null, null)
                : new Payload(json, null, null, null, null);
    }

    static Payload unmasked(Event event, @Nullable String decoded, Form form, JsonMapper mapper) {
        String json = ContentTypes.isJson(event.contentType()) ? json(event.payload(), mapper) : null;
        return json == null
                ? new Payload(null, null, Base64.getEncoder().encodeToString(event.payload()), decoded, null)
                : of(json, form);
    }

    /** It becomes part of our own answer as it is, so it has to be sound. */
    private static @Nullable String json(byte[] payload, JsonMapper mapper) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
            return mapper.readTree(text).isMissingNode() ? null : text;
        } catch (CharacterCodingException | JacksonException notJson) {
            return null;
        }
    }
}
