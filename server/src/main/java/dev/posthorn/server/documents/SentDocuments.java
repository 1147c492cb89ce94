package dev.posthorn.server.documents;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** How documents of a kind come from callers: whole, or as a patch of what is stored. */
public final class SentDocuments<T extends RequiredFields> {

    private final DocumentReader reader;
    private final Class<T> type;
    private final AnswerFields answered;

    /**
     * Those that are answered like this.
     *
     * @param answer the document, and what only answers have
     */
    public SentDocuments(DocumentReader reader, Class<T> type, Class<? extends Record> answer) {
        this.reader = reader;
        this.type = type;
        this.answered = AnswerFields.of(answer);
    }

    /**
     * What a caller asks for.
     *
     * @param wanted what it is to be, by what is stored; by null if nothing is
     */
    public record Asked<T>(Preconditions conditions, Function<@Nullable String, T> wanted) {}

    /** By PUT. */
    public Asked<T> whole(String name, byte @Nullable [] body, Preconditions conditions) {
        return whole(name, reader.sentDocument(Objects.requireNonNullElse(body, new byte[0])), conditions);
    }

    /** The same of one that was read already. */
    public Asked<T> whole(String name, ObjectNode sent, Preconditions conditions) {
        Preconditions all = answered.takenFrom(sent, name, conditions);
        T document = reader.whole(sent, type);
        return new Asked<>(all, stored -> document);
    }

    /** By PATCH. */
    public Asked<T> patch(String name, byte @Nullable [] body, Preconditions conditions) {
        ObjectNode patch = reader.sentDocument(Objects.requireNonNullElse(body, new byte[0]));
        answered.requireNoneIn(patch);
        Preconditions all = answered.takenFrom(patch, name, conditions);
        return new Asked<>(all, stored -> reader.whole(patched(name, stored, patch), type));
    }

    private ObjectNode patched(String name, @Nullable String stored, ObjectNode patch) {
        if (stored == null) {
            throw Problem.of(
                            ProblemType.NOT_FOUND,
                            "'" + name + "' was deleted meanwhile; PUT the whole to make it anew")
                    .asException();
        }
        return reader.patched(stored, patch);
    }
}
