package dev.posthorn.status;

import java.util.List;

/**
 * Some events that have something in common.
 *
 * @param complete false if there are more of them than were asked for
 */
public record EventList<T>(List<T> events, boolean complete) {

    public EventList {
        events = List.copyOf(events);
    }

    /** Of one more than was asked for. */
    static <T> EventList<T> of(List<T> found, int limit) {
        return found.size() > limit ? new EventList<>(found.subList(0, limit), false) : new EventList<>(found, true);
    }
}
