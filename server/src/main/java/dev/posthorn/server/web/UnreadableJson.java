package dev.posthorn.server.web;

import dev.posthorn.server.problem.Nearest;
import dev.posthorn.server.problem.Violation;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Why a JSON body could not be read, in words that name the field and no class of ours. */
final class UnreadableJson {

    /** The parser has no class of its own for it, and its other words are for those who know the parser. */
    private static final Pattern REPEATED = Pattern.compile("^Duplicate [^\"]*(\"[^\"]*\")");

    private UnreadableJson() {}

    /** Null if the JSON is not what is wrong. */
    static @Nullable Violation violation(Throwable cause) {
        if (!(cause instanceof JacksonException error) || cause instanceof JacksonIOException) {
            return null;
        }
        return Violation.of(field(error), rule(error));
    }

    private static String field(JacksonException error) {
        return error.getPath().stream()
                .map(each ->
                        each.getPropertyName() == null ? "[" + each.getIndex() + "]" : "." + each.getPropertyName())
                .collect(Collectors.joining())
                .replaceFirst("^\\.", "");
    }

    private static String rule(JacksonException error) {
        if (error instanceof UnrecognizedPropertyException unknown) {
            return unknown(unknown);
        }
        if (error instanceof InvalidFormatException format) {
            return "'" + format.getValue() + "' is not allowed here" + allowed(format.getTargetType());
        }
        if (error instanceof DatabindException) {
            return "this has the wrong type" + at(error.getLocation());
        }
        if (error instanceof StreamConstraintsException) {
            return "this is nested too deep (posthorn.limits.depth), or holds a name or a number that is too long"
                    + at(error.getLocation());
        }
        Matcher repeated = REPEATED.matcher(String.valueOf(error.getOriginalMessage()));
        return (repeated.find() ? "field " + repeated.group(1) + " is given more than once" : "this is not JSON")
                + at(error.getLocation());
    }

    private static String unknown(UnrecognizedPropertyException error) {
        var known = error.getKnownPropertyIds().stream()
                .map(String::valueOf)
                .sorted()
                .toList();
        String remedy = Nearest.to(error.getPropertyName(), known)
                .map(found -> "did you mean " + found + "?")
                .orElse("the fields are " + String.join(", ", known));
        return "there is no such field; " + remedy;
    }

    private static String allowed(@Nullable Class<?> type) {
        if (type == null || !type.isEnum()) {
            return "";
        }
        return java.util.Arrays.stream(type.getEnumConstants())
                .map(String::valueOf)
                .collect(Collectors.joining(", ", "; it is one of ", ""));
    }

    private static String at(@Nullable TokenStreamLocation place) {
        return place == null || place.getLineNr() < 1
                ? ""
                : " (line " + place.getLineNr() + ", column " + place.getColumnNr() + ")";
    }
}
