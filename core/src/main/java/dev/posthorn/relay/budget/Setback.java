package dev.posthorn.relay.budget;

import java.time.Duration;

/**
 * Slows a lane down whose settles the database refuses as they are: what it has sent comes again each time it begins anew,
 * and its receiver would get it as fast as the lane can go.
 */
public final class Setback {

    private static final long FIRST = Duration.ofMillis(100).toNanos();
    private static final int MOST_DOUBLINGS = 6;

    private int inRow;
    private long restsUntil;

    public void refused(long now) {
        restsUntil = now + (FIRST << Math.min(inRow, MOST_DOUBLINGS));
        inRow++;
    }

    public void passed() {
        inRow = 0;
    }

    /** How long the lane is to rest; not positive if it is not. */
    public long restNanos(long now) {
        return inRow == 0 ? 0 : restsUntil - now;
    }
}
