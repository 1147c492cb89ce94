package dev.posthorn.server.subscriptions;

import com.fasterxml.jackson.annotation.Nulls;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.subscriptions.sinks.Assembly;
import dev.posthorn.server.web.UnreadableJson;
import java.util.Map;
import java.util.regex.Pattern;
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

    private final JsonMapper mapper;

    /** Like the mapper, and nothing that is meant as one thing is taken for another. */
    DocumentReader(JsonMapper mapper) {
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

    /** What a caller sent. */
    public <T> T read(byte[] body, Class<T> type) {
        T read;
        try {
            requireStorable("", mapper.readTree(body));
            read = mapper.readValue(body, type);
        } catch (JacksonException e) {
            throw Problem.violated(ProblemType.INVALID_REQUEST, UnreadableJson.violation(e))
                    .asException();
        }
        if (read == null) {
            throw Assembly.refusal("", "the body is null; send a JSON object");
        }
        return read;
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
            throw Assembly.refusal(
                    NOT_TEXT.matcher(field).replaceAll("?"), "holds a character that is not Unicode text; remove it");
        }
    }

    /** What is stored. */
    public ObjectNode tree(String stored) {
        return (ObjectNode) mapper.readTree(stored);
    }

    /** Where a stored document says that it begins; null if it does not. */
    @Nullable
    Start start(String stored) {
        JsonNode start = tree(stored).path("start");
        return start.isString() ? new Start(start.stringValue()) : null;
    }

    /** By way of text, so that it equals what is read from the database. */
    public ObjectNode tree(Object document) {
        return tree(mapper.writeValueAsString(document));
    }

    Document document(ObjectNode tree) {
        return document(tree, Document.class);
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
