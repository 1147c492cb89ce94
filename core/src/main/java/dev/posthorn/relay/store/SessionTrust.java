package dev.posthorn.relay.store;

import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.UUID;

/**
 * For how long this process may trust that its session, and with it every lane it owns, is nobody else's. Renewed by the
 * lease keeper, asked by the lanes' threads.
 *
 * <p>Trust counts from the <em>start</em> of the renewal: the database may have set the expiry right then, however long
 * the answer took.
 */
public final class SessionTrust {

    private final UUID id;
    private final long ttlNanos;
    private final Ticker ticker;
    private volatile long trustedUntil;
    private volatile boolean ended;

    public SessionTrust(UUID id, Duration ttl, long attemptStarted, Ticker ticker) {
        this.id = id;
        this.ttlNanos = ttl.minus(Subscription.TRUST_MARGIN).toNanos();
        this.ticker = ticker;
        renewed(attemptStarted);
    }

    /** The session's. */
    public UUID id() {
        return id;
    }

    public void renewed(long attemptStarted) {
        trustedUntil = attemptStarted + ttlNanos;
    }

    /** What the database said of it when it was asked. One that was set back has forgotten the last renewals. */
    void stored(long asked, Duration left) {
        trustedUntil = Math.min(
                trustedUntil, asked + left.minus(Subscription.TRUST_MARGIN).toNanos());
    }

    /** The session has ended: whatever this process owned under it may be others' now. */
    public void end() {
        ended = true;
    }

    /** For good, whatever the database may say later: its clock can be set back. */
    public boolean isEnded() {
        return ended;
    }

    long nanos() {
        return ended ? 0 : trustedUntil - ticker.nanos();
    }
}
