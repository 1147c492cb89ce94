package dev.posthorn.server.documents;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.Nulls;
import dev.posthorn.server.json.MergePatch;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.web.FaultFinder;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.server.web.UnreadableJson;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.type.LogicalType;

/** Reads documents, and writes them so that the same ones look the same. */
public final class DocumentReader {

    /** PostgreSQL stores neither the character 0 nor half a surrogate pair. */
    private static final Pattern NOT_TEXT = Pattern.compile("[\\x00\\p{Cs}]");

    private static final int LONGEST = 65_536;

    private final JsonMapper mapper;

    /** Like the mapper, and nothing that is meant as one thing is taken for another. */
    public DocumentReader(JsonMapper mapper) {
        this.mapper = mapper.rebuild()
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .changeDefaultNullHandling(nulls -> nulls.withContentNulls(Nulls.FAIL))
                .withCoercionConfig(
                        LogicalType.Textual,
                        texts -> texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
                .build();
    }

    /** What a caller sent to be kept: lists, revisions and every instance hold many of them. */
    public ObjectNode sentDocument(byte[] body) {
        requireShort(body.length);
        return sent(body);
    }

    /** What a caller sent that holds several documents, each of which is still to be held to its length. */
    public ObjectNode sentDocuments(byte[] body) {
        return sent(body);
    }

    /** One of several, of the length that one may have. */
    public void requireShort(ObjectNode document) {
        requireShort(text(document).getBytes(UTF_8).length);
    }

    private static void requireShort(int bytes) {
        if (bytes > LONGEST) {
            throw Parameters.refused(
                    "", "the document has " + bytes + " bytes; the limit is " + LONGEST + ". Make several of it");
        }
    }

    /** What is stored, changed by what a caller sent. */
    public ObjectNode patched(String stored, ObjectNode patch) {
        ObjectNode patched = MergePatch.applied(patch, tree(stored));
        requireShort(patched);
        return patched;
    }

    private ObjectNode sent(byte[] body) {
        try {
            JsonNode read = mapper.readTree(body);
            requireStorable("", read);
            if (read instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw Problem.violated(ProblemType.INVALID_REQUEST, UnreadableJson.violation(e))
                    .asException();
        }
        throw Parameters.refused("", "the body must be one JSON object");
    }

    /** What a caller sent. */
    public <T> T read(byte[] body, Class<T> type) {
        return read(sent(body), type, all -> Stream.of());
    }

    /** Why a caller does something, who may leave the body out. */
    public @Nullable String reason(byte @Nullable [] body) {
        return body == null || body.length == 0
                ? null
                : read(body, ReasonDocument.class).reason();
    }

    /** What a caller sent to be kept; all that is unknown, of the wrong type or missing is told at once. */
    public <T extends RequiredFields> T whole(ObjectNode sent, Class<T> type) {
        return read(sent, type, RequiredFields::missing);
    }

    private <T> T read(ObjectNode sent, Class<T> type, Function<T, Stream<String>> missing) {
        FaultFinder faults = new FaultFinder(mapper);
        T read = faults.read(sent, type);
        if (read != null) {
            missing.apply(read).forEach(faults::addMissing);
        }
        faults.refuse();
        return Objects.requireNonNull(read);
    }

    private static void requireStorable(String field, @Nullable JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(each -> {
                String inner = field.isEmpty() ? each.getKey() : field + "." + each.getKey();
                requireStorable(inner, each.getKey());
                requireStorable(inner, each.getValue());
            });
        } else if (node != null && node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                requireStorable(field + "[" + i + "]", node.get(i));
            }
        } else if (node != null && node.isString()) {
            requireStorable(field, node.stringValue());
        }
    }

    private static void requireStorable(String field, String text) {
        if (NOT_TEXT.matcher(text).find()) {
            throw Parameters.refused(
                    NOT_TEXT.matcher(field).replaceAll("?"), "holds a character that is not Unicode text; remove it");
        }
    }

    /** What is stored. */
    public ObjectNode tree(String stored) {
        return (ObjectNode) mapper.readTree(stored);
    }

    /** By way of text, so that it equals what is read from the database. */
    public ObjectNode tree(Object document) {
        return tree(mapper.writeValueAsString(document));
    }

    public <T> T document(ObjectNode tree, Class<T> type) {
        return mapper.treeToValue(tree, type);
    }

    public String text(JsonNode tree) {
        return mapper.writeValueAsString(tree);
    }

    public String text(Map<String, String> secrets) {
        return mapper.writeValueAsString(secrets);
    }

    public Map<String, String> secrets(String text) {
        return mapper.readValue(text, mapper.getTypeFactory().constructMapType(Map.class, String.class, String.class));
    }
}
