package dev.posthorn.relay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane from sending into the void. While it is open nothing is read, and one event at a time is sent as a probe:
 * after a second at first, then after two, then every four. The first that arrives closes it.
 */
final class Breaker {

    private static final long FIRST_DELAY = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_DELAY = Duration.ofSeconds(4).toNanos();

    private final int failuresToOpen;
    private int failuresInRow;
    private @Nullable String reason;
    private long delay;
    private long nextProbe;
    private boolean probing;
    private boolean lacksProbe;

    Breaker(int failuresToOpen) {
        this.failuresToOpen = failuresToOpen;
    }

    boolean isOpen() {
        return reason != null;
    }

    /** Why it is open. */
    @Nullable
    String reason() {
        return reason;
    }

    boolean mayProbe(long now) {
        return isOpen() && !probing && nextProbe - now <= 0;
    }

    void probing() {
        probing = true;
    }

    /** Whether there was nothing to probe with. */
    void lacksProbe(boolean lacks) {
        lacksProbe = lacks;
    }

    /** Whether it is open and one more event is needed to find out if the receiver is back. */
    boolean lacksProbe() {
        return isOpen() && lacksProbe;
    }

    /** The probe has no answer and gets none any more. */
    void probeIsLost() {
        probing = false;
    }

    /** The receiver takes events, or at least looks at them. True if that closes the breaker. */
    boolean succeeded() {
        boolean wasOpen = isOpen();
        failuresInRow = 0;
        reason = null;
        delay = 0;
        probing = false;
        return wasOpen;
    }

    /** A failure that may pass. True if so many in a row open the breaker. */
    boolean failed(String why, @Nullable Duration wish, boolean probe, long now) {
        failuresInRow++;
        if (!isOpen() && failuresInRow < failuresToOpen) {
            return false;
        }
        return open(why, wish, probe, now);
    }

    /** True if it was closed before. */
    boolean open(String why, @Nullable Duration wish, boolean probe, long now) {
        boolean wasClosed = !isOpen();
        if (wasClosed || probe) {
            probing = false;
            delay = Math.min(Math.max(FIRST_DELAY, 2 * delay), LONGEST_DELAY);
            nextProbe = now + (wish == null ? delay : Math.max(delay, wish.toNanos()));
        }
        reason = why;
        return wasClosed;
    }

    /** In how many nanoseconds a probe may be sent; very long if none may, or none is needed. */
    long nextProbeNanos(long now) {
        return isOpen() && !probing ? Math.max(0, nextProbe - now) : Long.MAX_VALUE;
    }
}
