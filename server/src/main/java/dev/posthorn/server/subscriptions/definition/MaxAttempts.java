package dev.posthorn.server.subscriptions.definition;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.posthorn.subscription.RetryPolicy;

/** After how many failed attempts an event is a dead letter: a number, or "unlimited". */
public record MaxAttempts(int number) {

    private static final String UNLIMITED = "unlimited";

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static MaxAttempts of(Object value) {
        if (UNLIMITED.equals(value)) {
            return new MaxAttempts(RetryPolicy.UNLIMITED);
        }
        if (value instanceof Integer number && number >= 1) {
            return new MaxAttempts(number);
        }
        throw new IllegalArgumentException("must be a number of at least 1, or \"unlimited\"");
    }

    @JsonValue
    Object written() {
        return number == RetryPolicy.UNLIMITED ? UNLIMITED : number;
    }
}
