package dev.posthorn.server.guard;

import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a request came to.
 *
 * @param outcome as the sink told it
 */
record Result(ForwardState state, Outcome outcome) {

    /** PostgreSQL stores neither the character 0 nor half a surrogate pair. */
    private static final Pattern NOT_TEXT = Pattern.compile("[\\x00\\p{Cs}]");

    /** An answer is certain, whatever it says; without one, a sink that sends once knows whether the request has left. */
    static Result of(Outcome outcome, Target target) {
        Reply reply = outcome.reply();
        if (outcome instanceof Outcome.Delivered) {
            return new Result(ForwardState.FORWARDED, outcome);
        }
        if (reply != null) {
            return target.didNothing(reply.code())
                    ? free(again((Outcome.Failure) outcome))
                    : new Result(ForwardState.REFUSED, outcome);
        }
        return new Result(outcome instanceof Outcome.Retry ? ForwardState.IN_DOUBT : ForwardState.FREE, outcome);
    }

    /** Whatever the status means elsewhere, here it means to come again. */
    private static Outcome.Failure again(Outcome.Failure failure) {
        return failure instanceof Outcome.Retry
                ? failure
                : new Outcome.Retry(failure.errorClass(), failure.reason(), null, failure.reply());
    }

    /** It was cut off. */
    static Result inDoubt(Outcome.Failure why) {
        return new Result(ForwardState.IN_DOUBT, why);
    }

    static Result free(Outcome.Failure why) {
        return new Result(ForwardState.FREE, why);
    }

    @Nullable
    Integer status() {
        return outcome.reply() == null ? null : outcome.reply().code();
    }

    @Nullable
    String reply(UnaryOperator<String> hidden) {
        return outcome.reply() == null
                ? null
                : storable(hidden.apply(outcome.reply().text()));
    }

    @Nullable
    String errorClass() {
        return outcome instanceof Outcome.Failure failure ? failure.errorClass().label() : null;
    }

    @Nullable
    String reason(UnaryOperator<String> hidden) {
        return outcome instanceof Outcome.Failure failure ? storable(hidden.apply(failure.reason())) : null;
    }

    private static String storable(String text) {
        return NOT_TEXT.matcher(text).replaceAll("\uFFFD");
    }
}
