package dev.posthorn.server.documents;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * What a caller demands of the revision that it changes.
 *
 * @param revision the one of which it says that it sends it changed
 */
public record Preconditions(
        @Nullable String ifMatch,
        @Nullable String ifNoneMatch,
        @Nullable Long revision) {

    /** Whatever is there. */
    public static final Preconditions NONE = new Preconditions(null, null);

    private static final String ANY = "*";

    public Preconditions {
        if (ifNoneMatch != null && !ifNoneMatch.strip().equals(ANY)) {
            throw Problem.violated(
                            ProblemType.INVALID_REQUEST,
                            Violation.of("If-None-Match", "must be *, so that nothing that exists is changed"))
                    .asException();
        }
    }

    public Preconditions(@Nullable String ifMatch, @Nullable String ifNoneMatch) {
        this(ifMatch, ifNoneMatch, null);
    }

    /** The same, and that it is at this revision. */
    public Preconditions at(long expected) {
        return new Preconditions(ifMatch, ifNoneMatch, expected);
    }

    /**
     * Tells the revision by hand: of an entity tag that Spring knows of it would answer 304 to whoever has this revision,
     * though how the thing stands may be another.
     */
    public static void tag(HttpServletResponse response, long revision) {
        response.setHeader(HttpHeaders.ETAG, etag(revision));
    }

    public static String etag(long revision) {
        return "\"" + revision + "\"";
    }

    /** Refuses the change if what is there, or that nothing is, is not what the caller expects. */
    public void require(@Nullable Long current) {
        if (current != null && ifNoneMatch != null) {
            throw stale("it is there already, at revision " + current + "; leave out If-None-Match to change it");
        }
        if (ifMatch != null && !matches(ifMatch, current)) {
            throw stale("If-Match", current);
        }
        if (revision != null && !revision.equals(current)) {
            throw stale("revision", current);
        }
    }

    private static boolean matches(String tags, @Nullable Long current) {
        return current != null
                && Arrays.stream(tags.split(","))
                        .map(String::strip)
                        .anyMatch(tag -> tag.equals(ANY) || tag.equals(etag(current)));
    }

    private static ProblemException stale(String by, @Nullable Long current) {
        return stale(
                current == null
                        ? "it is not there; leave out " + by + " to create it"
                        : "it is at revision " + current + "; read it again, and change that");
    }

    private static ProblemException stale(String detail) {
        return Problem.of(ProblemType.STALE, detail).asException();
    }
}
