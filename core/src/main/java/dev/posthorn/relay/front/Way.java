package dev.posthorn.relay.front;

import dev.posthorn.event.Event;
import java.util.Map;

/** One of the ways to an interest: the place, by its key, where an event looks that may be wanted. */
final class Way<T> {

    private final Map<String, Crowd<Way<T>>> places;
    private final String key;
    private final Interest<T> interest;
    private final boolean certain;

    /** @param certain every event that looks there is wanted, and needs no check */
    Way(Map<String, Crowd<Way<T>>> places, String key, Interest<T> interest, boolean certain) {
        this.places = places;
        this.key = key;
        this.interest = interest;
        this.certain = certain;
    }

    Interest<T> interest() {
        return interest;
    }

    boolean leadsTo(Event event) {
        return certain || interest.wants(event);
    }

    void open() {
        places.computeIfAbsent(key, absent -> new Crowd<>()).add(this);
    }

    void close() {
        Crowd<Way<T>> crowd = places.get(key);
        if (crowd != null && crowd.remove(this) && crowd.isEmpty()) {
            places.remove(key);
        }
    }

    /** How many other ways lead through this place. Every event comes by the one without a key. */
    int traffic() {
        if (key.isEmpty()) {
            return Integer.MAX_VALUE;
        }
        Crowd<Way<T>> crowd = places.get(key);
        return crowd == null ? 0 : crowd.size();
    }
}
