package dev.posthorn.deadletter;

/**
 * How many letters there are.
 *
 * @param exact false if counting ended early, at the bound or because too many had to be looked at: then there are at
 *     least so many
 */
public record DeadLetterCount(long value, boolean exact) {

    @Override
    public String toString() {
        return exact ? Long.toString(value) : "at least " + value;
    }
}
