package dev.posthorn.faults.hub;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for things that become true. */
final class Patience {

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private Patience() {}

    /** Something that becomes true. */
    interface Condition {
        boolean holds() throws Exception;
    }

    /** How long it took; fails if it took too long. */
    static Duration until(String what, Condition condition) throws Exception {
        long started = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - started > LONGEST.toNanos()) {
                throw new IllegalStateException("not within " + LONGEST + ": " + what);
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** However long it takes until all have come, as long as something still comes. */
    static void untilAllHaveCome(HubReceiver receiver, int events) throws InterruptedException {
        long lastCame = System.nanoTime();
        int had = receiver.distinct();
        while (had < events && System.nanoTime() - lastCame < LONGEST.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(20);
            if (receiver.distinct() > had) {
                had = receiver.distinct();
                lastCame = System.nanoTime();
            }
        }
    }
}
