package dev.posthorn.relay.budget;

import java.util.function.Supplier;

/** The orders that a lane has now. They may change at any moment, from any thread. */
public final class CurrentOrders implements Supplier<LaneOrders> {

    private volatile LaneOrders now;

    public CurrentOrders(LaneOrders first) {
        this.now = first;
    }

    @Override
    public LaneOrders get() {
        return now;
    }

    /** The same again is no new order: who obeys it goes on doing so. */
    public void replaceBy(LaneOrders next) {
        if (!next.equals(now)) {
            now = next;
        }
    }
}
