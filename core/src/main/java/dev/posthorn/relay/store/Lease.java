package dev.posthorn.relay.store;

import dev.posthorn.relay.LeaseKeeper;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;

/**
 * One instance's hold on a lane, as far as this process may trust it. Renewed by the {@link LeaseKeeper}, asked by the
 * lane's thread.
 *
 * <p>Trust counts from the <em>start</em> of the renewal: the database may have set the expiry right then, however long
 * the answer took.
 */
public final class Lease {

    private final long laneId;
    private final long epoch;
    private final long ttlNanos;
    private final Ticker ticker;
    private volatile long trustedUntil;
    private volatile boolean lost;

    public Lease(long laneId, long epoch, Duration ttl, long attemptStarted, Ticker ticker) {
        this.laneId = laneId;
        this.epoch = epoch;
        this.ttlNanos = ttl.minus(Subscription.TRUST_MARGIN).toNanos();
        this.ticker = ticker;
        renewed(attemptStarted);
    }

    public long laneId() {
        return laneId;
    }

    public long epoch() {
        return epoch;
    }

    public void renewed(long attemptStarted) {
        trustedUntil = attemptStarted + ttlNanos;
    }

    /** What the database said of it when it was asked. One that was set back has forgotten the last renewals. */
    public void stored(long asked, Duration left) {
        trustedUntil = Math.min(
                trustedUntil, asked + left.minus(Subscription.TRUST_MARGIN).toNanos());
    }

    /** Somebody else owns the lane now. */
    public void lose() {
        lost = true;
    }

    public boolean isLost() {
        return lost;
    }

    /** How much longer nobody else can own the lane. */
    public long trustNanos() {
        return lost ? 0 : trustedUntil - ticker.nanos();
    }
}
