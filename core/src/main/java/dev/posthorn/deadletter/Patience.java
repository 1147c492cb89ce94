package dev.posthorn.deadletter;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Waits for answers that come as rows: looks often at first, then less often. */
final class Patience {

    private static final Duration SHORTEST_NAP = Duration.ofMillis(10);
    private static final Duration LONGEST_NAP = Duration.ofMillis(250);

    private Patience() {}

    /** The answer; empty if it takes longer than this, or if the thread is interrupted. */
    static <T> Optional<T> await(Duration atMost, Supplier<Optional<T>> answer) {
        long start = System.nanoTime();
        Duration nap = SHORTEST_NAP;
        while (true) {
            Optional<T> given = answer.get();
            Duration left = atMost.minusNanos(System.nanoTime() - start);
            if (given.isPresent() || left.isNegative() || left.isZero()) {
                return given;
            }
            try {
                Thread.sleep(Math.max(1, (nap.compareTo(left) < 0 ? nap : left).toMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
            nap = nap.multipliedBy(2).compareTo(LONGEST_NAP) < 0 ? nap.multipliedBy(2) : LONGEST_NAP;
        }
    }
}
