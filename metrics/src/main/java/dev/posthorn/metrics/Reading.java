package dev.posthorn.metrics;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What was read last, for as long as it is worth telling. */
final class Reading<T> {

    private record Taken<T>(T value, long atNanos) {}

    private final Duration keptFor;
    private volatile @Nullable Taken<T> last;

    Reading(Duration keptFor) {
        this.keptFor = keptFor;
    }

    void take(T value) {
        last = new Taken<>(value, System.nanoTime());
    }

    /** Null if there is none, or if it is too old. */
    @Nullable
    T value() {
        Taken<T> taken = last;
        return taken == null || System.nanoTime() - taken.atNanos > keptFor.toNanos() ? null : taken.value;
    }
}
