package dev.posthorn.server.events;

import dev.posthorn.status.EventList;
import java.util.List;
import java.util.function.Function;

/**
 * Events that may not arrive, the most urgent first.
 *
 * @param complete false if there are more of them
 */
record TroubledEvents<T>(List<T> items, boolean complete) {

    static <E, T> TroubledEvents<T> of(EventList<E> found, Function<E, T> item) {
        return new TroubledEvents<>(found.events().stream().map(item).toList(), found.complete());
    }
}
