package dev.posthorn.server.web;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.posthorn.error.Nearest;
import dev.posthorn.server.problem.Violation;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** Says what is wrong with a JSON document. Never quotes a value: it may be a secret. */
public final class UnreadableJson {

    /** The parser has no class of its own for it. */
    private static final Pattern REPEATED = Pattern.compile("^Duplicate [^\"]*(\"[^\"]*\")");

    private UnreadableJson() {}

    public static Violation violation(JacksonException error) {
        String field = field(error.getPath());
        if (error instanceof UnrecognizedPropertyException unknown) {
            return Violation.of(field, unknownRule(unknown));
        }
        if (error instanceof InvalidTypeIdException kind) {
            return Violation.of(joined(field, "kind"), kindRule(kind));
        }
        if (error instanceof InvalidNullException) {
            return Violation.of(field, "is null; give a value or leave it out");
        }
        if (error instanceof MismatchedInputException mismatch) {
            return Violation.of(field, typeRule(field, mismatch.getTargetType()));
        }
        if (error instanceof ValueInstantiationException
                && error.getCause() instanceof IllegalArgumentException refused) {
            return Violation.of(field, String.valueOf(refused.getMessage()));
        }
        if (error instanceof InputCoercionException) {
            return Violation.of(field, "is too large; give a whole number of usual size");
        }
        return error instanceof StreamReadException || error instanceof StreamConstraintsException
                ? Violation.of(field, syntaxRule(error))
                : Violation.of(field, "cannot be read; look for its form in the documentation");
    }

    /** As a person would write it: {@code retry.delays[0]}. */
    private static String field(List<JacksonException.Reference> path) {
        StringBuilder field = new StringBuilder();
        for (JacksonException.Reference step : path) {
            if (step.getPropertyName() == null) {
                field.append('[').append(step.getIndex()).append(']');
            } else {
                field.append(field.isEmpty() ? "" : ".").append(step.getPropertyName());
            }
        }
        return field.toString();
    }

    private static String joined(String field, String last) {
        return field.isEmpty() ? last : field + "." + last;
    }

    private static String unknownRule(UnrecognizedPropertyException error) {
        Collection<Object> names = error.getKnownPropertyIds();
        Stream<Object> all = names == null ? Stream.of() : names.stream();
        List<String> known = all.map(String::valueOf).sorted().toList();
        return "is unknown; "
                + Nearest.to(error.getPropertyName(), known)
                        .map(found -> "did you mean " + found + "?")
                        .orElse("known are " + String.join(", ", known));
    }

    private static String kindRule(InvalidTypeIdException error) {
        JsonSubTypes kinds = error.getBaseType().getRawClass().getAnnotation(JsonSubTypes.class);
        String names = kinds == null
                ? ""
                : Arrays.stream(kinds.value()).map(JsonSubTypes.Type::name).collect(Collectors.joining(", "));
        return (error.getTypeId() == null ? "is missing" : "is unknown") + "; give one of " + names;
    }

    private static String typeRule(String field, @Nullable Class<?> wanted) {
        if (field.isEmpty()) {
            return "the body must be one JSON object";
        }
        if (wanted == null) {
            return "has the wrong type";
        }
        if (wanted.isEnum()) {
            return "is unknown; give one of "
                    + Arrays.stream(wanted.getEnumConstants())
                            .map(String::valueOf)
                            .collect(Collectors.joining(", "));
        }
        return wanted.equals(Duration.class)
                ? "is not a duration; write it like \"500ms\", \"30s\", \"5m\", \"2h\" or \"7d\""
                : "has the wrong type; give " + described(wanted);
    }

    private static String described(Class<?> wanted) {
        if (wanted.equals(Integer.class) || wanted.equals(int.class)) {
            return "a whole number";
        }
        if (Number.class.isAssignableFrom(wanted)) {
            return "a number";
        }
        if (wanted.equals(Boolean.class)) {
            return "true or false";
        }
        if (Collection.class.isAssignableFrom(wanted)) {
            return "an array";
        }
        return Map.class.isAssignableFrom(wanted) || (wanted.isRecord() && !isText(wanted)) || wanted.isInterface()
                ? "an object"
                : "a text";
    }

    private static boolean isText(Class<?> wanted) {
        return Arrays.stream(wanted.getMethods()).anyMatch(method -> method.isAnnotationPresent(JsonValue.class));
    }

    private static String syntaxRule(JacksonException error) {
        String message = String.valueOf(error.getOriginalMessage());
        String place = error.getLocation() == null
                ? ""
                : " (line " + error.getLocation().getLineNr() + ", column "
                        + error.getLocation().getColumnNr() + ")";
        Matcher repeated = REPEATED.matcher(message);
        if (repeated.find()) {
            return "the body names the field " + repeated.group(1) + " more than once" + place;
        }
        return error instanceof StreamConstraintsException
                ? "the body is nested too deep (posthorn.limits.depth), or holds a name or number that is too long"
                : "the body is not JSON" + place;
    }
}
