package dev.posthorn.server.events;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.server.json.ContentTypes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event's payload in an answer: as JSON if it says that it is and is, else as Base64. Both are null if it is not
 * wanted, or hidden. {@link EventViews} makes it, for those who may see it.
 *
 * @param hidden true if the caller may not see it, else null
 */
public record Payload(
        @Nullable String json,
        @Nullable String base64,
        @Nullable Boolean hidden) {

    static final Payload LEFT_OUT = new Payload(null, null, null);
    static final Payload HIDDEN = new Payload(null, null, true);

    static Payload masked(String json) {
        return new Payload(json, null, null);
    }

    static Payload unmasked(Event event, JsonMapper mapper) {
        String json = ContentTypes.isJson(event.contentType()) ? json(event.payload(), mapper) : null;
        return json == null
                ? new Payload(null, Base64.getEncoder().encodeToString(event.payload()), null)
                : new Payload(json, null, null);
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
