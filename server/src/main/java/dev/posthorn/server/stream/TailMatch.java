package dev.posthorn.server.stream;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import org.jspecify.annotations.Nullable;

/**
 * Which recorded events a listener wants.
 *
 * @param key null: any
 * @param subscription what the subscription that was named wanted when it was named
 */
record TailMatch(Filter fields, @Nullable String key, Filter subscription) {

    boolean wants(Event event) {
        return (key == null || key.equals(event.key())) && fields.wants(event) && subscription.wants(event);
    }
}
