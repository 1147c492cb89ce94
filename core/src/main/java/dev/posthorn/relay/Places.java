package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import java.util.function.Supplier;

/** A lane's hold on the room that its instance has for events beyond the persisted marks. */
final class Places {

    private final Supplier<Orders> orders;
    private final boolean bounded;

    Places(Supplier<Orders> orders, Guards guards) {
        this.orders = orders;
        this.bounded = guards.hold(Guard.BOUNDED_BEYOND_PERSISTED_MARK);
    }

    boolean areBounded() {
        return bounded;
    }

    /** Takes up to so many; returns how many there were. */
    int take(int wanted) {
        return bounded ? orders.get().room().take(wanted) : wanted;
    }

    /** Whether there are so many. */
    boolean areLeft(int wanted) {
        int there = take(wanted);
        giveBack(there);
        return there >= wanted;
    }

    void giveBack(int places) {
        if (bounded) {
            orders.get().room().giveBack(places);
        }
    }

    /** So many more than there may be. */
    void overdraw(int places) {
        if (bounded) {
            orders.get().room().overdraw(places);
        }
    }
}
