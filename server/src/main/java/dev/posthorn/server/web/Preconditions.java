package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a caller demands of the revision that it changes. */
public record Preconditions(
        @Nullable String ifMatch, @Nullable String ifNoneMatch) {

    private static final String ANY = "*";

    public Preconditions {
        if (ifNoneMatch != null && !ifNoneMatch.strip().equals(ANY)) {
            throw Problem.violated(
                            ProblemType.INVALID_REQUEST,
                            Violation.of("If-None-Match", "must be *, so that nothing that exists is changed"))
                    .asException();
        }
    }

    public static String etag(long revision) {
        return "\"" + revision + "\"";
    }

    /** Refuses the change if what is there, or that nothing is, is not what the caller expects. */
    public void require(@Nullable Long revision) {
        if (revision != null && ifNoneMatch != null) {
            throw stale("it is there already, at revision " + revision + "; leave out If-None-Match to change it");
        }
        if (ifMatch != null && !matches(ifMatch, revision)) {
            throw stale(
                    revision == null
                            ? "it is not there; leave out If-Match to create it"
                            : "it is at revision " + revision + "; read it again, and change that");
        }
    }

    private static boolean matches(String tags, @Nullable Long revision) {
        return revision != null
                && Arrays.stream(tags.split(","))
                        .map(String::strip)
                        .anyMatch(tag -> tag.equals(ANY) || tag.equals(etag(revision)));
    }

    private static ProblemException stale(String detail) {
        return Problem.of(ProblemType.STALE, detail).asException();
    }
}
