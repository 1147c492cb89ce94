package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetterCount;
import dev.posthorn.deadletter.DeadLetterPage;
import dev.posthorn.server.web.PageToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the dead letters that were asked for.
 *
 * @param items may be fewer than the limit, or none, although more follow
 * @param next what to ask for the next part with; left out at the end
 * @param count of all parts together, if it was asked for; not exact: at least so many
 */
record DeadLetterList(
        List<DeadLetterItem> items,
        @Nullable String next,
        @Nullable DeadLetterCount count) {

    static DeadLetterList of(DeadLetterPage page, @Nullable DeadLetterCount count) {
        return new DeadLetterList(
                page.letters().stream().map(DeadLetterItem::of).toList(),
                page.cursor() == null ? null : PageToken.of(page.cursor()),
                count);
    }
}
