package dev.posthorn.relay;

import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Ticker;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The one lease of this process: a session that is begun, renewed in time, and ended for good once it was not. */
final class ProcessSession {

    private final LeaseStore store;
    private final UUID id;
    private final Duration ttl;
    private final Ticker ticker;
    private final SessionTrust trust;
    private long renewed;

    private ProcessSession(LeaseStore store, UUID id, Duration ttl, long started, Ticker ticker) {
        this.store = store;
        this.id = id;
        this.ttl = ttl;
        this.ticker = ticker;
        this.renewed = started;
        this.trust = new SessionTrust(id, ttl, started, ticker);
    }

    static ProcessSession begin(LeaseStore store, Duration ttl, Ticker ticker) {
        long started = ticker.nanos();
        return new ProcessSession(store, store.open(ttl), ttl, started, ticker);
    }

    UUID id() {
        return id;
    }

    SessionTrust trust() {
        return trust;
    }

    /** False if it has ended: then every lane that was owned under it is lost, all at once. */
    boolean renew(@Nullable Snapshot obeys) {
        long started = ticker.nanos();
        if (!trust.isEnded() && store.renew(ttl, obeys)) {
            renewed = started;
            trust.renewed(started);
            return true;
        }
        trust.end();
        return false;
    }

    /** In the middle of something that takes long. */
    boolean renewIfDue() {
        return ticker.nanos() - renewed < ttl.toNanos() / 6 || renew(null);
    }
}
