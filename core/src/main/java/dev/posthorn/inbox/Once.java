package dev.posthorn.inbox;

import org.jspecify.annotations.Nullable;

/** What became of an event that was to have one effect. */
public sealed interface Once<T extends @Nullable Object> {

    /** It had its effect now; both stand or fall with the transaction. */
    record Processed<T extends @Nullable Object>(T result) implements Once<T> {}

    /** The consumer had taken it before. Acknowledge it: there is nothing left to do. */
    record Duplicate<T extends @Nullable Object>() implements Once<T> {}

    default boolean isDuplicate() {
        return this instanceof Duplicate;
    }
}
