package dev.posthorn.server.events;

import dev.posthorn.sink.ErrorClass;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one caller sees of one event.
 *
 * @param texts takes away what the caller may not see from what a receiver, or an error, says about the event
 */
public record EventView(Payload payload, UnaryOperator<String> texts) {

    /** Not the timeout: a receiver may answer that it was one. */
    private static final Set<ErrorClass> UNREACHED =
            EnumSet.of(ErrorClass.REFUSED, ErrorClass.DNS, ErrorClass.TLS, ErrorClass.FORBIDDEN);

    static EventView unmasked(Payload payload) {
        return new EventView(payload, UnaryOperator.identity());
    }

    /** Why something failed, as the caller may read it. A receiver that was never reached has repeated nothing. */
    public @Nullable String reason(@Nullable String errorClass, @Nullable String said) {
        return errorClass != null && UNREACHED.contains(ErrorClass.of(errorClass)) ? said : text(said);
    }

    /** A receiver's reply as the caller may read it. */
    public @Nullable String text(@Nullable String said) {
        return said == null ? null : texts.apply(said);
    }
}
