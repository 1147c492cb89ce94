package dev.posthorn.server.types;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.OutputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressionFactory;
import com.networknt.schema.regex.RegularExpressions;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * What it takes to hold data to one JSON Schema. A regular expression may need time that doubles with every character of
 * the data, and references within {@code allOf} time that doubles with every reference; so the characters that are looked
 * at, the keywords that are evaluated and the errors that are found are counted, and there are so many for one event.
 * Thread-safe.
 */
final class BoundedEvaluation implements RegularExpressionFactory {

    /** Enough for any schema over short data that was not written to be slow. */
    private static final long LEAST = 1_000_000;

    /** An expression that may begin anywhere looks at a character many times. */
    private static final long EACH = 50;

    /** Beside a look at a character, which counts as one. */
    private static final int KEYWORD = 5;

    /** Errors are kept, also those of an alternative that is dropped afterwards. */
    private static final int ERROR = 200;

    private final ThreadLocal<Budget> budgets = ThreadLocal.withInitial(() -> new Budget(LEAST));

    /** The data needs more time than it gets. */
    static final class Exhausted extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Exhausted() {
            super("it takes too long", null, false, false);
        }
    }

    /** What is left to do. */
    private static final class Budget {

        private long left;

        Budget(long left) {
            this.left = left;
        }

        void spend(int cost) {
            left -= cost;
            if (left < 0) {
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
            budget.spend(1);
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

    /** Every keyword and every alternative of one is added to the path when its turn comes. */
    private static final class CountedSteps extends ExecutionContext {

        private final Budget budget;

        CountedSteps(ExecutionConfig config, Budget budget) {
            super(config);
            this.budget = budget;
        }

        @Override
        public void evaluationPathAddLast(String keyword) {
            budget.spend(KEYWORD);
            super.evaluationPathAddLast(keyword);
        }

        @Override
        public void evaluationPathAddLast(int index) {
            budget.spend(KEYWORD);
            super.evaluationPathAddLast(index);
        }

        @Override
        public void addError(Error error) {
            budget.spend(ERROR);
            super.addError(error);
        }
    }

    /** What is wrong with the data; throws {@link Exhausted} if it takes more than data of that length is given. */
    List<Error> validate(Schema schema, JsonNode data, int length) {
        Budget budget = new Budget(LEAST + EACH * length);
        budgets.set(budget);
        try {
            ExecutionConfig config = schema.createExecutionContext().getExecutionConfig();
            return schema.validate(new CountedSteps(config, budget), data, OutputFormat.DEFAULT);
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
