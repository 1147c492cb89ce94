package dev.posthorn.spring;

import java.io.Serial;

/** There is no transaction that an event could become part of; the message says what to do. */
public final class NoTransactionException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    public NoTransactionException(String problem, String remedy) {
        super(problem + ". " + remedy);
        this.problem = problem;
        this.remedy = remedy;
    }

    public String problem() {
        return problem;
    }

    public String remedy() {
        return remedy;
    }
}
