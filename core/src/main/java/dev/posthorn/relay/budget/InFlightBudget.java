package dev.posthorn.relay.budget;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many more events an instance may read for a subscription. Shared by its lanes, whose shares of the limit overlap
 * while lanes come and go: what the one still holds the other must not read. Thread-safe.
 */
public final class InFlightBudget {

    private final AtomicInteger left;

    public InFlightBudget(int limit) {
        this.left = new AtomicInteger(limit);
    }

    /** Takes up to so many places; returns how many there were. */
    int take(int wanted) {
        int before = left.getAndUpdate(now -> now - taken(now, wanted));
        return taken(before, wanted);
    }

    private static int taken(int left, int wanted) {
        return Math.max(0, Math.min(left, wanted));
    }

    /** How many places are free; less than none if it was overdrawn. */
    public int left() {
        return left.get();
    }

    /** Takes so many places, more than there may be if need be. */
    void overdraw(int places) {
        left.addAndGet(-places);
    }

    void giveBack(int places) {
        left.addAndGet(places);
    }
}
