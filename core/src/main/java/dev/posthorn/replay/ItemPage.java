package dev.posthorn.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some items of a replay, in the order of the log for each subscription.
 *
 * @param cursor what to ask with for the next page; null if this is the last one
 */
public record ItemPage(List<ReplayItem> items, @Nullable String cursor) {

    public ItemPage {
        items = List.copyOf(items);
    }
}
