package dev.posthorn.relay;

import dev.posthorn.relay.store.Ticker;

/**
 * How many lanes may be given up so that others have their share. A bounded number a second: a new process must not
 * bring everything to a stop at once.
 */
final class Handover {

    private static final int PER_SECOND = 500;

    private final Ticker ticker;
    private double left = PER_SECOND;
    private long refilled;

    Handover(Ticker ticker) {
        this.ticker = ticker;
        this.refilled = ticker.nanos();
    }

    /** How many may leave now. */
    int left() {
        long now = ticker.nanos();
        left = Math.min(PER_SECOND, left + PER_SECOND * (now - refilled) / 1e9);
        refilled = now;
        return (int) left;
    }

    void take(int lanes) {
        left -= lanes;
    }
}
