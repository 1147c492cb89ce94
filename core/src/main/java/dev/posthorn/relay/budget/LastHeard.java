package dev.posthorn.relay.budget;

import dev.posthorn.relay.store.Ticker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When a receiver last answered anybody, be it with no; that an answer did not come in time is none. Shared by the lanes of
 * a subscription in an instance: a lane of which all events hang would otherwise take the receiver for dead that answers
 * the others. Thread-safe.
 */
public final class LastHeard {

    private final AtomicLong at;

    public LastHeard(Ticker ticker) {
        this.at = new AtomicLong(ticker.nanos() - 1);
    }

    public void heard(long now) {
        at.accumulateAndGet(now, (before, next) -> next - before > 0 ? next : before);
    }

    public boolean isSince(long time) {
        return at.get() - time >= 0;
    }
}
