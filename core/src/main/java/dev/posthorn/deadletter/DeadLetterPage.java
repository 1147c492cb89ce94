package dev.posthorn.deadletter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some dead letters, newest failure first.
 *
 * @param cursor what to ask with for the next page; null if this is the last one
 */
public record DeadLetterPage(
        List<DeadLetter> letters, @Nullable String cursor) {

    public DeadLetterPage {
        letters = List.copyOf(letters);
    }
}
