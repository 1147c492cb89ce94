package dev.posthorn.benchmarks.subscriptions;

import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is to come of a phase's events, each to as many subscriptions, and when it came. An event that comes again to the same
 * subscription, as it may, does not count. The receiver writes; others read once everything has come.
 */
final class Deliveries {

    private final String what;
    private final int first;
    private final int each;
    private final Wish wish;
    private final long[] times;
    private final int[] came;
    private final @Nullable BitSet[] to;
    private final CountDownLatch missing;
    private volatile @Nullable String fault;

    /**
     * @param what they are, for whoever misses some
     * @param first number of the first event among all that are ever published
     * @param events how many there are
     * @param each how many deliveries there will be of each
     */
    Deliveries(String what, int first, int events, int each, Wish wish) {
        this.what = what;
        this.first = first;
        this.each = each;
        this.wish = wish;
        this.times = new long[events * each];
        this.came = new int[events];
        this.to = new BitSet[events];
        this.missing = new CountDownLatch(times.length);
    }

    int first() {
        return first;
    }

    int events() {
        return came.length;
    }

    int count() {
        return times.length;
    }

    void received(int number, int subscription, long now) {
        int event = number - first;
        if (event < 0 || event >= came.length) {
            // One of an earlier phase, again.
            return;
        }
        if (!wish.has(event, subscription)) {
            fault = "an event came to subscription " + subscription + ", which does not want it";
        } else if (isNew(event, subscription) && came[event] < each) {
            times[event * each + came[event]++] = now;
            missing.countDown();
        }
    }

    private boolean isNew(int event, int subscription) {
        BitSet subscriptions = to[event];
        if (subscriptions == null) {
            subscriptions = new BitSet();
            to[event] = subscriptions;
        }
        boolean before = subscriptions.get(subscription);
        subscriptions.set(subscription);
        return !before;
    }

    /** Until everything has come. */
    void await(Duration longest) throws InterruptedException {
        boolean complete = missing.await(longest.toMillis(), TimeUnit.MILLISECONDS);
        String wrong = fault;
        if (wrong != null) {
            throw new IllegalStateException(what + ": " + wrong);
        }
        if (!complete) {
            throw new IllegalStateException("%s: %,d of %,d deliveries are missing after %,d s"
                    .formatted(what, missing.getCount(), times.length, longest.toSeconds()));
        }
    }

    /** Delivery by delivery, as {@link System#nanoTime()} had it: those of an event one after the other. */
    long at(int delivery) {
        return times[delivery];
    }

    int eventOf(int delivery) {
        return delivery / each;
    }

    /** When the first of all came. */
    long firstAt() {
        long earliest = times[0];
        for (long time : times) {
            earliest = Math.min(earliest, time);
        }
        return earliest;
    }

    /** When the last of all came. */
    long lastAt() {
        long latest = times[0];
        for (long time : times) {
            latest = Math.max(latest, time);
        }
        return latest;
    }
}
