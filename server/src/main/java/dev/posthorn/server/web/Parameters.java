package dev.posthorn.server.web;

import dev.posthorn.server.json.Durations;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads what stands in the query of a URL. */
public final class Parameters {

    private Parameters() {}

    public static Instant time(String name, String text) {
        try {
            // A plus sign that was not escaped arrives as a space.
            return OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
        } catch (DateTimeException e) {
            throw refused(name, "is '" + text + "'; write a time with its zone, like 2026-01-31T12:00:00Z");
        }
    }

    public static int number(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw refused(name, "is '" + text + "'; it must be a whole number");
        }
    }

    /** At most so long. */
    public static Duration duration(String name, String text, Duration longest) {
        Duration duration = Durations.parse(text);
        if (duration == null) {
            throw refused(name, "is '" + Texts.quote(text) + "'; write it like 500ms, 30s, 5m, 2h or 7d");
        }
        if (duration.compareTo(longest) > 0) {
            throw refused(name, "is " + text + "; the most is " + Durations.print(longest));
        }
        return duration;
    }

    public static boolean flag(String name, String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw refused(name, "is '" + text + "'; it must be true or false");
        };
    }

    /** Where a list goes on that is in the order of a number. */
    public static long place(String token) {
        String seq = PageToken.parts(token, 1).get(0);
        if (!seq.matches("\\d{1,18}")) {
            throw refused("after", "is not a token of this list; give the 'next' of the page before");
        }
        return Long.parseLong(seq);
    }

    /** Hands on what was given. */
    public static void given(@Nullable String text, Consumer<String> field) {
        if (text != null) {
            field.accept(text);
        }
    }

    public static ProblemException refused(String name, String rule) {
        return Problem.violated(ProblemType.INVALID_REQUEST, Violation.of(name, rule))
                .asException();
    }
}
