package dev.posthorn.http.address;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which all sinks look names up, as a lookup only waits. There are as many as names that are waited for at
 * the same time, up to a limit; what comes then has its turn. A sink looks a name up once at a time, so that none can
 * take more than its few names.
 *
 * <p>None of the JDK's pools will do: they start another thread though one is idle, or though one has only to tell what it
 * found; a thousand sinks that look up one name each, one after the other, would have all the threads there may be.
 */
final class LookupThreads {

    static final LookupThreads SHARED = new LookupThreads(256);

    /** For names that took long the last time: however many of them hang, others are found. */
    static final LookupThreads FOR_SLOW_NAMES = new LookupThreads(32);

    private static final Logger log = LoggerFactory.getLogger(LookupThreads.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final AtomicLong started = new AtomicLong();

    private final int most;
    private final Queue<Job<?>> jobs = new ArrayDeque<>();
    private int threads;
    private int looking;

    LookupThreads(int most) {
        this.most = most;
    }

    private record Job<T>(Supplier<T> lookup, Consumer<T> then) {}

    /** @param then told on the same thread, and quick */
    <T> void look(Supplier<T> lookup, Consumer<T> then) {
        Job<T> job = new Job<>(lookup, then);
        if (add(job)) {
            start(job);
        }
    }

    /** Whether it takes another thread. Those that look nothing up at the moment will be there for it at once. */
    private synchronized boolean add(Job<?> job) {
        jobs.add(job);
        notifyAll();
        boolean another = threads < most && threads - looking < jobs.size();
        threads += another ? 1 : 0;
        return another;
    }

    private void start(Job<?> job) {
        Thread thread = new Thread(null, this::work, "posthorn-http-names-" + started.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        boolean runs = false;
        try {
            thread.start();
            runs = true;
        } finally {
            if (!runs) {
                forget(job);
            }
        }
    }

    private synchronized void forget(Job<?> job) {
        threads--;
        jobs.remove(job);
    }

    private void work() {
        for (Job<?> next = next(); next != null; next = next()) {
            try {
                run(next);
            } catch (RuntimeException | Error e) {
                log.error("A lookup ended with an error; others go on", e);
            }
        }
    }

    /** Null if there was none for a while: then the thread ends. */
    private synchronized @Nullable Job<?> next() {
        long end = System.nanoTime() + IDLE_NANOS;
        while (jobs.isEmpty()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                threads--;
                return null;
            }
            pause(left);
        }
        looking++;
        return jobs.remove();
    }

    /** Nobody interrupts these threads; should somebody do so, they are no less needed. */
    private void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        } catch (InterruptedException e) {
            log.debug("Interrupted while there was no name to look up", e);
        }
    }

    private <T> void run(Job<T> job) {
        T found;
        try {
            found = job.lookup.get();
        } finally {
            found();
        }
        job.then.accept(found);
    }

    private synchronized void found() {
        looking--;
    }
}
