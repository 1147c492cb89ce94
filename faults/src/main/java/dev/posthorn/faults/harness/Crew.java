package dev.posthorn.faults.harness;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads whose failure is the run's failure. */
public final class Crew {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** What a thread does. */
    public interface Work {
        void run() throws Exception;
    }

    public void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    public boolean runs(String prefix) {
        return threads.stream().anyMatch(thread -> thread.getName().startsWith(prefix) && thread.isAlive());
    }

    public void check() {
        Throwable e = failure.get();
        if (e != null) {
            throw new IllegalStateException("a thread of the run failed: " + e, e);
        }
    }

    public void join() {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        try {
            for (Thread thread : threads) {
                thread.join(Math.max(1, (giveUpAt - System.nanoTime()) / 1_000_000));
                if (thread.isAlive()) {
                    throw new IllegalStateException(thread.getName() + " did not end within " + PATIENCE);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        check();
    }
}
