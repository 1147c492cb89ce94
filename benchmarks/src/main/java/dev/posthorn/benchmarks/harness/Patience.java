package dev.posthorn.benchmarks.harness;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for what has to come, but not for ever. */
public final class Patience {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** Something that becomes true. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    private Patience() {}

    /**
     * Looks until it holds.
     *
     * @param look how often to look
     * @param complaint what is wrong if it does not come
     */
    public static void until(Duration look, Supplier<String> complaint, Condition condition) throws Exception {
        until(look, LONGEST, complaint, condition);
    }

    /** The same with a bound of the caller's. */
    public static void until(Duration look, Duration longest, Supplier<String> complaint, Condition condition)
            throws Exception {
        Stopwatch watch = new Stopwatch();
        while (!condition.holds()) {
            if (watch.seconds() > longest.toSeconds()) {
                throw new IllegalStateException(
                        complaint.get() + " after " + longest.toSeconds() + " s; the log above says why");
            }
            LockSupport.parkNanos(look.toNanos());
        }
    }
}
