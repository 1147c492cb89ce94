package dev.posthorn.relay.store;

import dev.posthorn.subscription.Subscription;

/**
 * A replay that runs, as far as a lane has to know it.
 *
 * @param ratePerSecond of all its lanes together; {@link Subscription#UNLIMITED} if it has none
 * @param maxInFlight of all lanes of the subscription together; {@link #ANY_NUMBER} if it has none
 * @param trying only its canary may go yet
 */
public record ReplayOrder(long id, double ratePerSecond, int maxInFlight, boolean trying) {

    public static final int ANY_NUMBER = Integer.MAX_VALUE;

    public boolean isPaced() {
        return ratePerSecond != Subscription.UNLIMITED;
    }
}
