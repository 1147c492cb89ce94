package dev.posthorn.server.problem;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a call was refused, whether it came by REST or by gRPC.
 *
 * @param detail what happened to what, and the remedy
 * @param violations the rules that were broken, if it is that
 * @param retryAfter when to try again, if that may help
 */
public record Problem(
        ProblemType type,
        String detail,
        List<Violation> violations,
        @Nullable Duration retryAfter) {

    private static final int LONGEST_DETAIL = 1_200;

    public Problem {
        detail = Excerpt.of(detail, LONGEST_DETAIL);
        violations = List.copyOf(violations);
    }

    public static Problem of(ProblemType type, String detail) {
        return new Problem(type, detail, List.of(), null);
    }

    public static Problem violated(ProblemType type, Violation violation) {
        return violated(type, List.of(violation));
    }

    /** At least one: tells of the first in words, and lists them all. */
    public static Problem violated(ProblemType type, List<Violation> violations) {
        String more = violations.size() == 1 ? "" : " (and " + (violations.size() - 1) + " more, see violations)";
        return new Problem(type, detail(violations.get(0)) + more, violations, null);
    }

    private static String detail(Violation violation) {
        String item = violation.item() == null ? "" : "item " + violation.item() + ": ";
        return item + (violation.field().isEmpty() ? "" : violation.field() + ": ") + violation.rule();
    }

    public static Problem unavailable(String detail, Duration retryAfter) {
        return new Problem(ProblemType.UNAVAILABLE, detail, List.of(), retryAfter);
    }

    /** To be thrown. */
    public ProblemException asException() {
        return new ProblemException(this);
    }
}
