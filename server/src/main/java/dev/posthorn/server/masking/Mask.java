package dev.posthorn.server.masking;

import dev.posthorn.server.json.Texts;
import java.util.ArrayList;
import java.util.List;

/**
 * A place in payloads: a JSON pointer (RFC 6901), in which a step {@code *} stands for every element of an array or
 * object.
 */
record Mask(String pointer, List<String> steps) {

    static final String EVERY = "*";
    static final int LONGEST = 500;

    /** Throws an {@link IllegalArgumentException} that tells the rule. */
    static Mask of(String pointer) {
        if (pointer.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "has " + pointer.length() + " characters; the limit is " + LONGEST + ". Mask what is around it");
        }
        if (!Texts.isWellFormed(pointer) || pointer.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("holds a NUL or half a surrogate pair, which are no characters");
        }
        if (!pointer.isEmpty() && pointer.charAt(0) != '/') {
            throw new IllegalArgumentException(
                    "must be a JSON pointer and begin with /, such as /customer/email or /cards/*/number");
        }
        return new Mask(pointer, steps(pointer));
    }

    private static List<String> steps(String pointer) {
        List<String> steps = new ArrayList<>();
        int begin = 1;
        while (begin <= pointer.length()) {
            int slash = pointer.indexOf('/', begin);
            int end = slash < 0 ? pointer.length() : slash;
            steps.add(step(pointer.substring(begin, end)));
            begin = end + 1;
        }
        return pointer.isEmpty() ? List.of() : List.copyOf(steps);
    }

    private static String step(String escaped) {
        for (int i = escaped.indexOf('~'); i >= 0; i = escaped.indexOf('~', i + 1)) {
            if (i + 1 == escaped.length() || (escaped.charAt(i + 1) != '0' && escaped.charAt(i + 1) != '1')) {
                throw new IllegalArgumentException("holds a ~ by itself; write ~0 for ~ and ~1 for / in a name");
            }
        }
        // In this order: ~01 is ~1, not /.
        return escaped.replace("~1", "/").replace("~0", "~");
    }
}
