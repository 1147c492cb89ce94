package dev.posthorn.relay.budget;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many of those that failed before a sink has in its hands again, from all lanes of a subscription in an instance: no
 * more than a part of what it takes at a time, because they may hang. Thread-safe; two lanes may take the last place at
 * once, which does no harm.
 */
public final class RetryPlaces {

    private static final int PART = 4;

    private final int most;
    private final AtomicInteger taken = new AtomicInteger();

    public RetryPlaces(int concurrency) {
        this.most = atATime(concurrency);
    }

    /** What has failed gets no more than a part of what the sink takes at a time: it may hang, and others must not wait. */
    public static int atATime(int concurrency) {
        return Math.max(1, concurrency / PART);
    }

    public boolean areLeft() {
        return taken.get() < most;
    }

    public void take() {
        taken.incrementAndGet();
    }

    public void giveBack(int places) {
        taken.addAndGet(-places);
    }
}
