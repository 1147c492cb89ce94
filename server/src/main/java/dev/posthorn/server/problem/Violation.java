package dev.posthorn.server.problem;

import org.jspecify.annotations.Nullable;

/**
 * A rule that was broken.
 *
 * @param item which event of a batch, from 0; null if there was only one
 * @param field the field at fault, as the caller wrote it ({@code retry.delays[0]}); empty if it is the whole
 * @param rule what is wrong and what to do about it
 */
public record Violation(@Nullable Integer item, String field, String rule) {

    private static final int LONGEST_FIELD = 300;
    private static final int LONGEST_RULE = 700;

    /** Both may hold what the caller sent, which would cost memory until it reads it. */
    public Violation {
        field = Excerpt.of(field, LONGEST_FIELD);
        rule = Excerpt.of(rule, LONGEST_RULE);
    }

    public static Violation of(String field, String rule) {
        return new Violation(null, field, rule);
    }

    public Violation ofItem(int number) {
        return new Violation(number, field, rule);
    }
}
