package dev.posthorn.server.documents;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.posthorn.server.web.Parameters;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields that an answer has beside the document, so that what was read can be sent back as it is. Those that tell which
 * one it is, and which revision of it, have to be right; the others are how it stood, and nobody can set them.
 */
final class AnswerFields {

    private static final String NAME = "name";
    private static final String REVISION = "revision";

    private final List<String> names;

    private AnswerFields(List<String> names) {
        this.names = names;
    }

    /** Those of an answer into which the document is unwrapped. */
    static AnswerFields of(Class<? extends Record> answer) {
        return new AnswerFields(Arrays.stream(answer.getRecordComponents())
                .filter(each -> !each.getAccessor().isAnnotationPresent(JsonUnwrapped.class))
                .map(RecordComponent::getName)
                .toList());
    }

    /** Refuses those that a patch cannot set: it names what is to change, and that would not. */
    void requireNoneIn(ObjectNode patch) {
        names.stream()
                .filter(each -> !each.equals(NAME) && !each.equals(REVISION) && patch.has(each))
                .findFirst()
                .ifPresent(each -> {
                    throw Parameters.refused(
                            each, "tells how it stands and cannot be set; leave it out (there is /pause and /resume)");
                });
    }

    /** Takes them out of what a caller sent, and tells on what it makes the change depend by them. */
    Preconditions takenFrom(ObjectNode sent, String name, Preconditions conditions) {
        requireName(sent.path(NAME), name);
        Long revision = revision(sent.path(REVISION));
        sent.remove(names);
        return revision == null ? conditions : conditions.at(revision);
    }

    private static void requireName(JsonNode said, String name) {
        if (isThere(said) && !(said.isString() && said.stringValue().equals(name))) {
            throw Parameters.refused(
                    NAME,
                    "is another than '" + name + "', by which the path calls it; leave it out, or call the path of"
                            + " the name that you mean: a name cannot be changed");
        }
    }

    private static @Nullable Long revision(JsonNode said) {
        if (!isThere(said)) {
            return null;
        }
        if (!said.isIntegralNumber() || !said.canConvertToLong()) {
            throw Parameters.refused(
                    REVISION, "has the wrong type; give the whole number that was read, or leave it out");
        }
        return said.longValue();
    }

    private static boolean isThere(JsonNode field) {
        return !field.isMissingNode() && !field.isNull();
    }
}
