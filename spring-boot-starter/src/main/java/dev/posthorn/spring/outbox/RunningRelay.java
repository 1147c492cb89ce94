package dev.posthorn.spring.outbox;

import dev.posthorn.relay.Relay;
import org.jspecify.annotations.Nullable;

/**
 * The relay of this process while it runs. The outbox holds it instead of asking for beans after a commit: in a context that
 * is being closed that would fail, and the caller would take what is committed for rolled back.
 */
public final class RunningRelay {

    private volatile @Nullable Relay relay;

    /** Null while the application starts or stops. */
    public @Nullable Relay get() {
        return relay;
    }

    public void set(@Nullable Relay now) {
        relay = now;
    }

    void wake() {
        Relay running = relay;
        if (running != null) {
            running.wake();
        }
    }
}
