package dev.posthorn.status;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the events that a query asks for, the newest first.
 *
 * @param events there may be fewer than the page holds, or none, although more follow: a search looks at so many rows
 *     at a time and no more
 * @param next what to go on after; null at the end, and only there
 */
public record EventPage(List<EventSummary> events, @Nullable Long next) {

    public EventPage {
        events = List.copyOf(events);
    }
}
