package dev.posthorn.faults.harness;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** Waits for things that become true. */
public final class Patience {

    /** A guard against hanging, far beyond what anything takes: the machine may be busy with others. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

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
        if (!becomes(longest, condition)) {
            throw new IllegalStateException("not within " + longest + ": " + what);
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** False if it did not come true in that time. */
    public static boolean becomes(Duration longest, Condition condition) throws Exception {
        long started = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - started > longest.toNanos()) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return true;
    }

    /** However long it takes until all have come, as long as something still comes. */
    public static void untilAllHaveCome(IntSupplier came, int events) throws InterruptedException {
        long lastCame = System.nanoTime();
        int had = came.getAsInt();
        while (had < events && System.nanoTime() - lastCame < LONGEST_SILENCE.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(20);
            int have = came.getAsInt();
            if (have > had) {
                had = have;
                lastCame = System.nanoTime();
            }
        }
    }
}
