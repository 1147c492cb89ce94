package dev.posthorn.spring.setup;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The application is not set up as Posthorn needs it; told by {@link SetupFailureAnalyzer}. */
public final class SetupException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    public SetupException(String problem, String remedy) {
        this(problem, remedy, null);
    }

    public SetupException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + ". " + remedy, cause);
        this.problem = problem;
        this.remedy = remedy;
    }

    String problem() {
        return problem;
    }

    String remedy() {
        return remedy;
    }
}
