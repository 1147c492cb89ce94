package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a document to its end whatever is wrong with it, so that a caller is told everything at once. A reader stops at the
 * first fault; so what is at fault is taken out, and the rest is read again.
 */
public final class FaultFinder {

    /** Each costs one more reading, and nobody reads a longer list. */
    private static final int MOST = 20;

    private final JsonMapper mapper;
    private final List<Violation> found = new ArrayList<>();

    public FaultFinder(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** What can be read of it; null if that is nothing. */
    public <T> @Nullable T read(ObjectNode document, Class<T> type) {
        ObjectNode rest = document.deepCopy();
        while (found.size() < MOST) {
            try {
                return mapper.treeToValue(rest, type);
            } catch (JacksonException e) {
                found.add(UnreadableJson.violation(e));
                if (!isRemoved(rest, e.getPath())) {
                    return null;
                }
            }
        }
        return null;
    }

    /** An item takes its array along: the next ones would be told under wrong numbers. */
    private static boolean isRemoved(ObjectNode document, List<JacksonException.Reference> path) {
        ObjectNode holder = null;
        String field = null;
        JsonNode at = document;
        for (JacksonException.Reference step : path) {
            if (step.getPropertyName() == null || !(at instanceof ObjectNode object)) {
                break;
            }
            holder = object;
            field = step.getPropertyName();
            at = object.path(field);
        }
        return holder != null && field != null && holder.remove(field) != null;
    }

    /** This field has to be there and is not, unless it is not there because it was at fault itself. */
    public void addMissing(String field) {
        if (found.stream().noneMatch(each -> isIn(field, each.field()))) {
            found.add(missing(field));
        }
    }

    private static boolean isIn(String field, String faulty) {
        return faulty.equals(field) || faulty.startsWith(field + ".") || faulty.startsWith(field + "[");
    }

    public static Violation missing(String field) {
        return Violation.of(field, "is missing; give it");
    }

    /** Ends the call if something was found. */
    public void refuse() {
        if (!found.isEmpty()) {
            throw Problem.violated(ProblemType.INVALID_REQUEST, found).asException();
        }
    }
}
