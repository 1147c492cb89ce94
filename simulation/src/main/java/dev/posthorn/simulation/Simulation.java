package dev.posthorn.simulation;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs seeds, each on one thread, and tells the first one that fails. */
final class Simulation {

    /** A seed that broke a promise, which is the same whenever it is run. */
    record Failure(long seed, String what) {
        @Override
        public String toString() {
            return "seed " + seed + " failed: " + what + "; replay with ./posthorn simulate --seed " + seed;
        }
    }

    private final AtomicLong done = new AtomicLong();

    /** Runs one seed; null if it keeps every promise. */
    @Nullable
    Failure run(long seed) {
        return run(new World(seed, false), seed);
    }

    private static @Nullable Failure run(World world, long seed) {
        try {
            world.run();
            return null;
        } catch (BrokenPromise broken) {
            return new Failure(seed, String.valueOf(broken.getMessage()));
        } catch (LinkageError stale) {
            // Classes that do not fit together say nothing about a promise.
            throw stale;
        } catch (RuntimeException | Error bug) {
            return new Failure(
                    seed,
                    "threw " + bug + " at "
                            + List.of(bug.getStackTrace()).subList(0, Math.min(3, bug.getStackTrace().length)));
        }
    }

    /** Runs one seed and tells what happened last. */
    @Nullable
    Failure replay(long seed, List<String> trace) {
        World world = new World(seed, true);
        Failure failure = run(world, seed);
        trace.addAll(world.traced());
        return failure;
    }

    /** Runs so many seeds from the first on; returns the failed one with the least number, if any has failed. */
    @Nullable
    Failure run(long first, long count, int threads) {
        AtomicLong next = new AtomicLong(first);
        AtomicLong failed = new AtomicLong(Long.MAX_VALUE);
        List<Failure> failures = new ArrayList<>();
        Runnable work = () -> {
            for (long seed = next.getAndIncrement(); seed < first + count; seed = next.getAndIncrement()) {
                if (seed > failed.get()) {
                    return;
                }
                Failure failure = run(seed);
                done.incrementAndGet();
                if (failure != null) {
                    failed.accumulateAndGet(seed, Math::min);
                    synchronized (failures) {
                        failures.add(failure);
                    }
                }
            }
        };
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(work, "simulation-" + i);
            thread.start();
            running.add(thread);
        }
        running.forEach(Simulation::join);
        return failures.stream()
                .filter(each -> each.seed() == failed.get())
                .findFirst()
                .orElse(null);
    }

    /** How many seeds have been run so far. */
    long done() {
        return done.get();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a simulation found. */
    static final class BrokenPromise extends Error {

        @Serial
        private static final long serialVersionUID = 1L;

        BrokenPromise(String what) {
            super(what);
        }
    }
}
