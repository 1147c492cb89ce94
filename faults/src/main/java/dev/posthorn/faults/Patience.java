package dev.posthorn.faults;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** Waits for things that become true. */
public final class Patience {

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private Patience() {}

    /** Something that becomes true. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    /** How long it took; fails if it took too long. */
    public static Duration until(String what, Condition condition) throws Exception {
        return until(what, LONGEST, condition);
    }

    public static Duration until(String what, Duration longest, Condition condition) throws Exception {
        long started = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - started > longest.toNanos()) {
                throw new IllegalStateException("not within " + longest + ": " + what);
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** However long it takes until all have come, as long as something still comes. */
    public static void untilAllHaveCome(IntSupplier came, int events) throws InterruptedException {
        long lastCame = System.nanoTime();
        int had = came.getAsInt();
        while (had < events && System.nanoTime() - lastCame < LONGEST.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(20);
            int have = came.getAsInt();
            if (have > had) {
                had = have;
                lastCame = System.nanoTime();
            }
        }
    }
}
