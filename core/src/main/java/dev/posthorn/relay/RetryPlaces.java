package dev.posthorn.relay;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many of those that failed before a sink has in its hands again, from all lanes of a subscription in an instance: no
 * more than a part of what it takes at a time, because they may hang. Thread-safe; two lanes may take the last place at
 * once, which does no harm.
 */
final class RetryPlaces {

    private final int most;
    private final AtomicInteger taken = new AtomicInteger();

    RetryPlaces(int concurrency) {
        this.most = Dispatch.retriesAtATime(concurrency);
    }

    boolean areLeft() {
        return taken.get() < most;
    }

    void take() {
        taken.incrementAndGet();
    }

    void giveBack(int places) {
        taken.addAndGet(-places);
    }
}
