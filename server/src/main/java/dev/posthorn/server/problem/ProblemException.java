package dev.posthorn.server.problem;

import java.io.Serial;

/** Ends a call with a problem that the caller is told. Expected, so it has no stack trace. */
public final class ProblemException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
