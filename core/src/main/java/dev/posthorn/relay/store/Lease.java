package dev.posthorn.relay.store;

import java.time.Duration;

/**
 * A process's hold on a lane, as far as it may be trusted: for as long as its {@linkplain SessionTrust session}, unless
 * the lane alone is lost before.
 */
public final class Lease {

    private final long laneId;
    private final long epoch;
    private final SessionTrust session;
    private volatile boolean lost;

    public Lease(long laneId, long epoch, SessionTrust session) {
        this.laneId = laneId;
        this.epoch = epoch;
        this.session = session;
    }

    public long laneId() {
        return laneId;
    }

    /** The session under which it is held. */
    public SessionTrust session() {
        return session;
    }

    public long epoch() {
        return epoch;
    }

    /** What the database said, when it was asked, of how long nobody else can take the lane. */
    public void stored(long asked, Duration left) {
        session.stored(asked, left);
    }

    /** Somebody else owns the lane now. */
    public void lose() {
        lost = true;
    }

    public boolean isLost() {
        return lost || session.isEnded();
    }

    /** How much longer nobody else can own the lane. */
    public long trustNanos() {
        return lost ? 0 : session.nanos();
    }

    @Override
    public String toString() {
        return "lane " + laneId + ", epoch " + epoch;
    }
}
