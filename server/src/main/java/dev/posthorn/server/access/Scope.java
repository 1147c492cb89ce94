package dev.posthorn.server.access;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.ArrayList;
import java.util.List;

/**
 * What a key may publish.
 *
 * @param sources patterns of which one has to match; none means any
 * @param types the same
 */
public record Scope(List<String> sources, List<String> types) {

    /** Everything. */
    public static final Scope ANY = new Scope(List.of(), List.of());

    private static final int MOST_VIOLATIONS = 20;

    public Scope {
        sources = List.copyOf(sources);
        types = List.copyOf(types);
    }

    /** Refuses all of them if the key of that name may not publish one. */
    void require(String key, List<Event> events) {
        if (equals(ANY)) {
            return;
        }
        Filter ofSources = Filter.ALL.sources(sources.toArray(String[]::new));
        Filter ofTypes = Filter.types(types.toArray(String[]::new));
        List<Violation> found = new ArrayList<>();
        for (int i = 0; i < events.size() && found.size() < MOST_VIOLATIONS; i++) {
            Event event = events.get(i);
            Integer item = events.size() == 1 ? null : Integer.valueOf(i);
            if (!ofSources.wants(event)) {
                found.add(new Violation(item, "source", rule(key, event.source(), "sources", sources)));
            } else if (!ofTypes.wants(event)) {
                found.add(new Violation(item, "type", rule(key, event.type(), "types", types)));
            }
        }
        if (!found.isEmpty()) {
            throw Problem.violated(ProblemType.FORBIDDEN, found).asException();
        }
    }

    private static String rule(String key, String value, String field, List<String> allowed) {
        return "is '" + value + "', but the API key '" + key + "' may publish only the " + field + " "
                + String.join(", ", allowed);
    }
}
