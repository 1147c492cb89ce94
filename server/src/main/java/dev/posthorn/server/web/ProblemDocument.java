package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.Violation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A problem as RFC 9457 writes it. */
public record ProblemDocument(
        String type,
        String title,
        int status,
        String detail,
        @Nullable List<Violation> violations) {

    static ProblemDocument of(Problem problem) {
        return new ProblemDocument(
                problem.type().urn(),
                problem.type().title(),
                problem.type().status(),
                problem.detail(),
                problem.violations().isEmpty() ? null : problem.violations());
    }
}
