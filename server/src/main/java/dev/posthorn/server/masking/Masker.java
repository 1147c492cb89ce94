package dev.posthorn.server.masking;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.server.json.ContentTypes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Masks events. What of a type with masks cannot be read as JSON is masked whole. Thread-safe. */
public final class Masker {

    private final MaskedTypes types;
    private final JsonMapper mapper;

    public Masker(MaskedTypes types, JsonMapper mapper) {
        this.types = types;
        this.mapper = mapper;
    }

    /** What everybody may see of an event. */
    public Masked mask(Event event) {
        Masks masks = types.masks(event.type());
        if (masks.isEmpty()) {
            return Masked.NOT;
        }
        return ContentTypes.isJson(event.contentType()) ? mask(event.payload(), masks, mapper) : Masked.WHOLE;
    }

    /** What everybody may see of a payload that is said to be JSON. */
    public static Masked mask(byte[] payload, Masks masks, JsonMapper mapper) {
        try {
            String json = UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
            return json.isBlank() ? Masked.WHOLE : Masked.some(MaskedJson.of(json, masks, mapper));
        } catch (CharacterCodingException | JacksonException unreadable) {
            return Masked.WHOLE;
        }
    }
}
