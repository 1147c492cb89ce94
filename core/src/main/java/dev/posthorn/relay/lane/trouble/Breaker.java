package dev.posthorn.relay.lane.trouble;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane from sending into the void. It is open while nobody answers: then nothing is read, and events are sent as
 * probes only, after a second at first, then after two, then every four. The first answer closes it.
 *
 * <p>Probes take turns: one that may count, of what has failed before, and one of what was never tried. Otherwise a key
 * whose events hang would be probed over and over, and one that is well would never be. For the same reason a probe that
 * hangs keeps no other from being sent, and while all hang ever more of the untried are, up to a part of what the sink
 * takes.
 */
public final class Breaker {

    private static final long FIRST_DELAY = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_DELAY = Duration.ofSeconds(4).toNanos();

    /** How soon to look again when there was nothing to probe with. */
    private static final long NOTHING_FOUND = Duration.ofMillis(20).toNanos();

    private static final int WIDEST = 1 << 16;

    private @Nullable String reason;
    private boolean silent;
    private long delay;
    private long nextProbe;
    private int width;
    private boolean untriedNext;
    private boolean lacksProbe;

    public boolean isOpen() {
        return reason != null;
    }

    /** Why it is open. */
    public @Nullable String reason() {
        return reason;
    }

    /** Whether the receiver takes connections, so that it may be that only some keys hang. */
    public boolean isSilent() {
        return silent;
    }

    public boolean mayProbe(long now) {
        return isOpen() && nextProbe - now <= 0;
    }

    /** Whether it is the turn of those that were never tried. */
    public boolean isTurnOfUntried() {
        return untriedNext;
    }

    /** How many of those that were never tried may be on their way at a time. */
    public int width() {
        return width;
    }

    /** Probes were sent. */
    public void probed(long now) {
        untriedNext = !untriedNext;
        width = silent ? Math.min(2 * width, WIDEST) : 1;
        delay = Math.min(2 * delay, LONGEST_DELAY);
        nextProbe = now + delay;
    }

    /** There was nothing to probe with. */
    public void foundNothing(long now) {
        untriedNext = !untriedNext;
        nextProbe = now + NOTHING_FOUND;
    }

    /** Whether one more event is needed to find out if the receiver is back. */
    public void lacksProbe(boolean lacks) {
        lacksProbe = lacks;
    }

    /** Whether it is open and lacks one. */
    public boolean lacksProbe() {
        return isOpen() && lacksProbe;
    }

    /** Somebody answers. True if that closes the breaker. */
    boolean answered() {
        boolean wasOpen = isOpen();
        reason = null;
        lacksProbe = false;
        return wasOpen;
    }

    /**
     * Nobody answers.
     *
     * @param silence whether that is all there is to say, the receiver having taken the event
     * @return true if it was closed before
     */
    boolean open(String why, boolean silence, long now) {
        boolean wasClosed = !isOpen();
        if (wasClosed) {
            delay = FIRST_DELAY;
            nextProbe = now + delay;
            width = 1;
            untriedNext = false;
        }
        silent = silence;
        reason = why;
        return wasClosed;
    }

    /** In how many nanoseconds a probe may be sent; very long if none is needed. */
    long nextProbeNanos(long now) {
        return isOpen() ? Math.max(0, nextProbe - now) : Long.MAX_VALUE;
    }
}
