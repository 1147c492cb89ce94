package dev.posthorn.server.types;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.NodePath;
import dev.posthorn.event.Event;
import dev.posthorn.server.json.ContentTypes;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.masking.Masks;
import dev.posthorn.server.problem.Violation;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds data to a JSON Schema. Nothing is ever fetched: a schema stands by itself. */
final class JsonSchemaCheck implements PayloadCheck {

    static final int MOST = 20;

    private static final String FIELD = "jsonSchema";

    private static final String UNIQUE_ITEMS = "\"uniqueItems\"";

    /** What comes with the library. Whatever else begins like them it would look for among the hub's own files. */
    private static final Pattern DIALECT =
            Pattern.compile("https?://json-schema\\.org/draft[-/][-0-9a-z]+/(schema|meta/[-a-z]+)#?");

    private final Schema schema;
    private final BoundedEvaluation evaluation;
    private final Masks masks;
    private final boolean hasUniqueItems;
    private final JsonMapper json;

    private JsonSchemaCheck(
            Schema schema, BoundedEvaluation evaluation, Masks masks, boolean hasUniqueItems, JsonMapper json) {
        this.schema = schema;
        this.evaluation = evaluation;
        this.masks = masks;
        this.hasUniqueItems = hasUniqueItems;
        this.json = json;
    }

    /** Refuses a schema that is not one, or that refers to what it does not hold itself. */
    static JsonSchemaCheck compile(String text, Masks masks, JsonMapper json) {
        JsonNode node = json.readTree(text);
        BoundedEvaluation evaluation = new BoundedEvaluation();
        SchemaRegistry registry = registry(evaluation);
        requireValid(node, registry, evaluation, text.length());
        try {
            Schema schema = registry.getSchema(node);
            schema.initializeValidators();
            return new JsonSchemaCheck(schema, evaluation, masks, text.contains(UNIQUE_ITEMS), json);
        } catch (StackOverflowError e) {
            throw BadDefinition.of(FIELD, "refers to itself without end");
        } catch (RuntimeException e) {
            throw BadDefinition.of(
                    FIELD,
                    "cannot be used: " + message(e) + ". Nothing is fetched: put into $defs what" + " $ref names");
        }
    }

    /** Of its own for each schema, so that no schema sees another one by its $id. */
    private static SchemaRegistry registry(BoundedEvaluation evaluation) {
        SchemaRegistryConfig config = SchemaRegistryConfig.builder()
                .locale(Locale.ENGLISH)
                .regularExpressionFactory(evaluation)
                .build();
        return SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                builder -> builder.schemaRegistryConfig(config)
                        .schemaLoader(loader -> loader.allow(
                                iri -> DIALECT.matcher(iri.toString()).matches())));
    }

    private static void requireValid(JsonNode node, SchemaRegistry registry, BoundedEvaluation evaluation, int length) {
        List<Error> errors;
        try {
            Schema dialect = registry.getSchema(SchemaLocation.of(dialect(node)));
            errors = evaluation.validate(dialect, node, length);
        } catch (BoundedEvaluation.Exhausted | StackOverflowError e) {
            throw BadDefinition.of(FIELD, "is too large, or nested too deep, to be checked; split the type");
        } catch (RuntimeException e) {
            throw BadDefinition.of(FIELD + ".$schema", "is not a dialect that is known here: " + message(e));
        }
        if (!errors.isEmpty()) {
            throw BadDefinition.of(errors.stream()
                    .limit(MOST)
                    .map(error -> violation(FIELD, error))
                    .toList());
        }
    }

    private static String dialect(JsonNode node) {
        JsonNode named = node.get("$schema");
        return named == null ? SpecificationVersion.DRAFT_2020_12.getDialectId() : named.asString();
    }

    private static String message(RuntimeException error) {
        return Texts.printable(String.valueOf(error.getMessage()));
    }

    @Override
    public List<Violation> violations(Event event) {
        if (!ContentTypes.isJson(event.contentType())) {
            return List.of(
                    Violation.of("contentType", "must be JSON: the type " + event.type() + " has a JSON Schema"));
        }
        try {
            byte[] payload = event.payload();
            if (!Texts.isUtf8(payload) || holdsLoneSurrogate(payload)) {
                return List.of(Violation.of("data", "holds what is no character, such as half a surrogate pair"));
            }
            return violations(json.readTree(payload), payload);
        } catch (JacksonException e) {
            return List.of(Violation.of("data", "is not JSON, or is nested too deep"));
        }
    }

    private List<Violation> violations(@Nullable JsonNode data, byte[] payload) {
        if (data == null || data.isMissingNode()) {
            return List.of(Violation.of("data", "is empty, which is not JSON"));
        }
        if (hasUniqueItems && Collisions.areMany(data)) {
            return List.of(Violation.of(
                    "data",
                    "holds an array with too many items that look alike to a check of uniqueItems; send fewer at a"
                            + " time"));
        }
        try {
            List<Error> errors = evaluation.validate(schema, data, payload.length);
            return errors.isEmpty() ? List.of() : violations(errors, payload);
        } catch (BoundedEvaluation.Exhausted e) {
            return List.of(Violation.of(
                    "data",
                    "cannot be held to its JSON Schema: that takes too long. Put the type with patterns that repeat"
                            + " nothing that repeats itself, and with fewer alternatives and references within each"
                            + " other"));
        } catch (StackOverflowError | ArithmeticException | IllegalArgumentException e) {
            return List.of(Violation.of(
                    "data",
                    "cannot be held to its JSON Schema: a number is too large, or it is too" + " deep for the schema"));
        }
    }

    private List<Violation> violations(List<Error> errors, byte[] payload) {
        if (masks.isEmpty()) {
            return errors.stream()
                    .limit(MOST)
                    .map(error -> violation("data", error))
                    .toList();
        }
        MaskedErrors masked =
                new MaskedErrors(masks, Masker.mask(payload, masks, json).echoes());
        return errors.stream().map(masked::violation).distinct().limit(MOST).toList();
    }

    /** Only an escape can bring one into UTF-8. */
    private boolean holdsLoneSurrogate(byte[] payload) {
        if (!holdsSurrogateEscape(payload)) {
            return false;
        }
        try (JsonParser parser = json.createParser(payload)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                boolean text = token == JsonToken.VALUE_STRING || token == JsonToken.PROPERTY_NAME;
                if (text && !Texts.isWellFormed(parser.getString())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean holdsSurrogateEscape(byte[] payload) {
        for (int i = 0; i + 2 < payload.length; i++) {
            if (payload[i] == '\\' && payload[i + 1] == 'u' && (payload[i + 2] | 0x20) == 'd') {
                return true;
            }
        }
        return false;
    }

    /** Names the field that is missing or too much, instead of the object that it is about. */
    static Violation violation(String root, Error error) {
        String path = path(root, error.getInstanceLocation());
        String property = error.getProperty();
        return Violation.of(
                Texts.printable(property == null ? path : path + "." + property), Texts.printable(error.getMessage()));
    }

    private static String path(String root, NodePath location) {
        return path(root, location, location.getNameCount());
    }

    /** The first steps of a place. */
    static String path(String root, NodePath location, int steps) {
        StringBuilder path = new StringBuilder(root);
        for (int i = 0; i < steps; i++) {
            Object element = location.getElement(i);
            if (element instanceof Integer) {
                path.append('[').append(element).append(']');
            } else {
                path.append('.').append(element);
            }
        }
        return path.toString();
    }
}
