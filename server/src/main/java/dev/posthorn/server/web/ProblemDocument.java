package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.Violation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A problem as RFC 9457 writes it.
 *
 * @param instance the path that was called
 * @param requestId by which the hub's log knows the call
 */
public record ProblemDocument(
        String type,
        String title,
        int status,
        String detail,
        @Nullable String instance,
        @Nullable String requestId,
        @Nullable List<Violation> violations) {

    static ProblemDocument of(Problem problem, @Nullable String instance, @Nullable String requestId) {
        return new ProblemDocument(
                problem.type().urn(),
                problem.type().title(),
                problem.type().status(),
                problem.detail(),
                instance,
                requestId,
                problem.violations().isEmpty() ? null : problem.violations());
    }
}
