package dev.posthorn.deadletter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some dead letters, newest failure first.
 *
 * @param letters there may be fewer than the page holds, or none, although more follow: a search looks at so many
 *     letters at a time and no more
 * @param cursor what to ask with for the next page; null at the end, and only there
 */
public record DeadLetterPage(
        List<DeadLetter> letters, @Nullable String cursor) {

    public DeadLetterPage {
        letters = List.copyOf(letters);
    }
}
