package dev.posthorn.relay.front;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import java.util.List;

/** A filter, all who have it, and the ways on which an event finds it. */
final class Interest<T> {

    private final Filter filter;
    private final Crowd<T> who = new Crowd<>();
    private List<Way<T>> ways = List.of();
    private int choice;
    private int inVain;
    private long lastLook;

    Interest(Filter filter) {
        this.filter = filter;
    }

    Filter filter() {
        return filter;
    }

    Crowd<T> who() {
        return who;
    }

    boolean wants(Event event) {
        return filter.wants(event);
    }

    /** @param which of the filter's conditions the ways lead through */
    void open(int which, List<Way<T>> chosen) {
        choice = which;
        inVain = 0;
        ways = List.copyOf(chosen);
        ways.forEach(Way::open);
    }

    void close() {
        ways.forEach(Way::close);
        ways = List.of();
    }

    int choice() {
        return choice;
    }

    /** How often it has been by these ways, this time included. */
    int foundInVain() {
        return ++inVain;
    }

    /** Whether it had not been found before in this look. */
    boolean isNewIn(long look) {
        boolean isNew = lastLook != look;
        lastLook = look;
        return isNew;
    }
}
