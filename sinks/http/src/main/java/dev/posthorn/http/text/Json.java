package dev.posthorn.http.text;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The little JSON that is needed. What is wrong with a text is said without quoting it. */
public final class Json {

    private static final JsonFactory FACTORY = new JsonFactory();

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private Json() {}

    /**
     * The members of an object that are texts, numbers (BigDecimal) or truth values, by name; of others only that they
     * are well-formed is looked at.
     *
     * @throws IllegalArgumentException if it is not a JSON object
     */
    public static Map<String, Object> members(byte[] utf8) {
        Map<String, Object> members = new HashMap<>();
        parse(utf8, parser -> {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("not a JSON object");
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                Object value = scalar(parser);
                if (value != null) {
                    members.put(name, value);
                }
                parser.skipChildren();
            }
        });
        return members;
    }

    private static @Nullable Object scalar(JsonParser parser) {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    /**
     * The text as it is, fit to stand in another: without a byte order mark, and of UTF-16 too, which parsers take.
     *
     * @throws IllegalArgumentException if it is not JSON
     */
    public static String checked(byte[] bytes) {
        Charset charset = charset(bytes);
        String text = decoded(bytes, charset);
        boolean marked = text.startsWith(BYTE_ORDER_MARK);
        String plain = marked ? text.substring(1) : text;
        parse(marked || !charset.equals(UTF_8) ? plain.getBytes(UTF_8) : bytes, parser -> {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException("empty");
            }
            parser.skipChildren();
        });
        return plain;
    }

    /** JSON begins with a character of ASCII or a byte order mark: a zero or a half of the mark tells UTF-16. */
    private static Charset charset(byte[] bytes) {
        if (bytes.length < 2) {
            return UTF_8;
        }
        if (bytes[0] == 0 || bytes[0] == (byte) 0xfe) {
            return UTF_16BE;
        }
        return bytes[1] == 0 || bytes[0] == (byte) 0xff ? UTF_16LE : UTF_8;
    }

    private static String decoded(byte[] bytes, Charset charset) {
        try {
            return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("not " + charset.name());
        }
    }

    private static void parse(byte[] utf8, Consumer<JsonParser> reading) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), utf8)) {
            reading.accept(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more after the end");
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "not JSON from byte " + e.getLocation().getByteOffset() + " on");
        }
    }

    /** An object whose members the caller writes. */
    public static byte[] object(Consumer<JsonGenerator> members) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    /** An object of texts, numbers, truth values and lists of these. */
    public static byte[] object(Map<String, Object> members) {
        return object(json -> members.forEach((name, value) -> write(json.writeName(name), value)));
    }

    private static void write(JsonGenerator json, Object value) {
        if (value instanceof List<?> list) {
            json.writeStartArray();
            list.forEach(each -> write(json, each));
            json.writeEndArray();
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Long number) {
            json.writeNumber(number);
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else {
            json.writeString(value.toString());
        }
    }
}
