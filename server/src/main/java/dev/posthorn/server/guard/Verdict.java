package dev.posthorn.server.guard;

import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a guard says to whoever brought it an event. */
sealed interface Verdict {

    /**
     * The target has it.
     *
     * @param duplicate it had it before
     * @param status null if it is an operator who says so
     */
    record Forwarded(
            boolean duplicate,
            @Nullable Integer status,
            @Nullable String reply) implements Verdict {}

    /** The target does not take it. */
    record Refused(
            boolean duplicate,
            ErrorClass errorClass,
            String reason,
            @Nullable Integer status,
            @Nullable String reply) implements Verdict {}

    /** Nobody knows, and it is not sent again until an operator has decided. */
    record InDoubt(ErrorClass errorClass, String reason) implements Verdict {}

    /** It is on its way; so long at most. */
    record UnderWay(Duration left) implements Verdict {}

    /** The target certainly has not acted. */
    record NotForwarded(Outcome.Failure failure) implements Verdict {}

    /** An operator decided that it is never forwarded. */
    record Abandoned(String reason) implements Verdict {}

    /** Another event had this id, one of that source. */
    record AnotherContent(String source) implements Verdict {}

    static Verdict of(Forward known) {
        if (!known.sameContent()) {
            return new AnotherContent(known.source());
        }
        ErrorClass errorClass = ErrorClass.of(String.valueOf(known.errorClass()));
        String reason = String.valueOf(known.reason());
        return switch (known.state()) {
            case FORWARDED -> new Forwarded(true, known.status(), known.reply());
            case REFUSED -> new Refused(true, errorClass, reason, known.status(), known.reply());
            case IN_DOUBT -> new InDoubt(errorClass, reason);
            case ABANDONED ->
                new Abandoned(
                        known.decided() == null
                                ? ""
                                : String.valueOf(known.decided().reason()));
            case FORWARDING, FREE -> new UnderWay(known.left());
        };
    }

    static Verdict of(Result result, @Nullable String reply) {
        Outcome outcome = result.outcome();
        if (!(outcome instanceof Outcome.Failure failure)) {
            return new Forwarded(false, result.status(), reply);
        }
        return switch (result.state()) {
            case REFUSED -> new Refused(false, failure.errorClass(), failure.reason(), result.status(), reply);
            case IN_DOUBT -> new InDoubt(failure.errorClass(), failure.reason());
            default -> new NotForwarded(failure);
        };
    }
}
