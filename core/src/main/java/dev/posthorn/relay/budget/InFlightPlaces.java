package dev.posthorn.relay.budget;

import java.util.function.Supplier;

/** A lane's hold on the room that its instance has for events beyond the persisted marks. */
public final class InFlightPlaces {

    private final Supplier<LaneOrders> orders;

    public InFlightPlaces(Supplier<LaneOrders> orders) {
        this.orders = orders;
    }

    /** Takes up to so many; returns how many there were. */
    public int take(int wanted) {
        return orders.get().room().take(wanted);
    }

    /** Whether there are so many. */
    public boolean areLeft(int wanted) {
        int there = take(wanted);
        giveBack(there);
        return there >= wanted;
    }

    public void giveBack(int places) {
        orders.get().room().giveBack(places);
    }

    /** So many more than there may be. */
    public void overdraw(int places) {
        orders.get().room().overdraw(places);
    }
}
