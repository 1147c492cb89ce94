package dev.posthorn.server.types;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.List;

/** Refuses what somebody says about a type. */
final class BadDefinition {

    private BadDefinition() {}

    static ProblemException of(String field, String rule) {
        return of(List.of(Violation.of(field, rule)));
    }

    static ProblemException of(List<Violation> violations) {
        return Problem.violated(ProblemType.INVALID_REQUEST, violations).asException();
    }
}
