package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param next what to ask for the next part with; left out at the end
 */
public record Page<T>(List<T> items, @Nullable String next) {

    public static final String DEFAULT_LIMIT = "100";

    private static final int MOST = 1000;

    /** Of one thing more than was asked for, which only tells that there is more. */
    public static <T> Page<T> of(List<T> found, int limit, Function<T, String> token) {
        if (found.size() <= limit) {
            return new Page<>(found, null);
        }
        return new Page<>(found.subList(0, limit), token.apply(found.get(limit - 1)));
    }

    /** The items as they are shown. */
    public <A> Page<A> map(Function<T, A> shown) {
        return new Page<>(items.stream().map(shown).toList(), next);
    }

    /** Reads the next items after a name, so many at most. */
    public interface Reader<T> {
        List<T> read(String after, int most);
    }

    /** Of a list in the order of names. */
    public static <T> Page<T> byName(String limit, @Nullable String after, Reader<T> reader, Function<T, String> name) {
        int size = limit(limit);
        return of(reader.read(from(after), size + 1), size, last -> PageToken.of(name.apply(last)));
    }

    /** The name after which such a list goes on. */
    public static String from(@Nullable String after) {
        return after == null ? "" : PageToken.parts(after, 1).get(0);
    }

    /** The limit that a caller asked for. */
    public static int limit(String text) {
        if (text.matches("\\d{1,4}")) {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= MOST) {
                return limit;
            }
        }
        throw Problem.violated(
                        ProblemType.INVALID_REQUEST, Violation.of("limit", "must be a whole number from 1 to " + MOST))
                .asException();
    }
}
