package dev.posthorn.server.looking;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event's payload in an answer: as JSON if it says that it is and is, else as Base64. Both are null if it is not
 * wanted.
 */
record Payload(@Nullable String json, @Nullable String base64) {

    static final Payload LEFT_OUT = new Payload(null, null);

    static Payload of(Event event, JsonMapper mapper) {
        String json = isJson(event.contentType()) ? json(event.payload(), mapper) : null;
        return json == null
                ? new Payload(null, Base64.getEncoder().encodeToString(event.payload()))
                : new Payload(json, null);
    }

    private static boolean isJson(String contentType) {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.endsWith("/json") || type.endsWith("+json");
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
