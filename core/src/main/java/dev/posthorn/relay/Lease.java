package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import java.time.Duration;

/**
 * One instance's hold on a lane, as far as this process may trust it. Renewed by the {@link LeaseKeeper}, asked by the
 * lane's thread.
 *
 * <p>Trust counts from the <em>start</em> of the renewal: the database may have set the expiry right then, however long
 * the answer took.
 */
final class Lease {

    private final long laneId;
    private final long epoch;
    private final long ttlNanos;
    private final Ticker ticker;
    private volatile long trustedUntil;
    private volatile boolean lost;

    Lease(long laneId, long epoch, Duration ttl, long attemptStarted, Ticker ticker, Guards guards) {
        this.laneId = laneId;
        this.epoch = epoch;
        this.ttlNanos = ttl.minus(Subscription.TRUST_MARGIN).toNanos();
        this.ticker = ticker;
        renewed(attemptStarted, guards);
    }

    long laneId() {
        return laneId;
    }

    long epoch() {
        return epoch;
    }

    void renewed(long attemptStarted, Guards guards) {
        trustedUntil = (guards.hold(Guard.TRUST_FROM_START) ? attemptStarted : ticker.nanos()) + ttlNanos;
    }

    /** What the database said of it when it was asked. One that was set back has forgotten the last renewals. */
    void stored(long asked, Duration left) {
        trustedUntil = Math.min(
                trustedUntil, asked + left.minus(Subscription.TRUST_MARGIN).toNanos());
    }

    /** Somebody else owns the lane now. */
    void lose() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    /** How much longer nobody else can own the lane. */
    long trustNanos() {
        return lost ? 0 : trustedUntil - ticker.nanos();
    }
}
