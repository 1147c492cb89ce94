package dev.posthorn.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Work side by side, each piece on a thread of its own. */
public final class Parallel {

    private Parallel() {}

    /** Gives what they came to when all have ended. */
    public static <T extends @Nullable Object> List<T> run(List<? extends Callable<T>> pieces)
            throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(pieces.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> piece : threads.invokeAll(pieces)) {
                results.add(piece.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new IllegalStateException("One of those side by side failed: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
        }
    }
}
