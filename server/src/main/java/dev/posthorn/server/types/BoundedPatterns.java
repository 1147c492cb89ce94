package dev.posthorn.server.types;

import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressionFactory;
import com.networknt.schema.regex.RegularExpressions;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The regular expressions of one JSON Schema. Some need time that doubles with every character of the data, so the
 * characters that are looked at are counted: all expressions together have so many for one event. Thread-safe.
 */
final class BoundedPatterns implements RegularExpressionFactory {

    /** Enough for any expression over a short text that was not written to be slow. */
    private static final long LEAST = 100_000;

    /** An expression that may begin anywhere looks at a character many times. */
    private static final long EACH = 50;

    private final ThreadLocal<Budget> budgets = ThreadLocal.withInitial(() -> new Budget(LEAST));

    /** The data needs more time than it gets. */
    static final class Exhausted extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Exhausted() {
            super("its regular expressions take too long", null, false, false);
        }
    }

    /** What is left to look at. */
    private static final class Budget {

        private long left;

        Budget(long left) {
            this.left = left;
        }

        void spend() {
            if (--left < 0) {
                throw new Exhausted();
            }
        }
    }

    /** A text that counts who looks at it. */
    private record Counted(String text, Budget budget) implements CharSequence {

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            budget.spend();
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Counted(text.substring(start, end), budget);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Throws {@link Exhausted} if the expressions need more than data of that length is given. */
    <T> T within(int length, Supplier<T> check) {
        budgets.set(new Budget(LEAST + EACH * length));
        try {
            return check.get();
        } finally {
            budgets.remove();
        }
    }

    @Override
    public RegularExpression getRegularExpression(String regex) {
        Pattern pattern = Pattern.compile(
                RegularExpressions.replaceLongformCharacterProperties(RegularExpressions.replaceDollarAnchors(regex)));
        return text -> pattern.matcher(new Counted(text, budgets.get())).find();
    }
}
