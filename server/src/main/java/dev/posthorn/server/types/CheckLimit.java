package dev.posthorn.server.types;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.posthorn.event.Event;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.Violation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the payloads that are being held to their types at a time. To check one, objects are made of it: an empty message
 * of two bytes becomes one of hundreds, and so a few dozen payloads of the greatest size would fill the heap. Those that
 * are small are let through. Thread-safe.
 */
final class CheckLimit {

    /** Bytes in memory for a byte of payload, at worst. */
    private static final int TIMES = 150;

    /** All together may have a quarter of the heap. */
    private static final int SHARE = 4;

    /** Below this a payload is small: as many of them as there are requests at a time do no harm. */
    private static final int UNIT = 4096;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final int units;
    private final Semaphore free;
    private final Duration patience;

    CheckLimit() {
        this(Runtime.getRuntime().maxMemory() / SHARE / TIMES, Duration.ofSeconds(10));
    }

    /** For payloads of so many bytes together, or one that is larger; others wait for so long. */
    CheckLimit(long bytes, Duration patience) {
        this.units = (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / UNIT));
        this.free = new Semaphore(units, true);
        this.patience = patience;
    }

    /** The same check, made when there is room. */
    PayloadCheck within(PayloadCheck check) {
        return new PayloadCheck() {

            @Override
            public List<Violation> violations(Event event) {
                return withRoom(event, check::violations);
            }

            @Override
            public @Nullable String json(Event event) {
                return withRoom(event, check::json);
            }
        };
    }

    private <T extends @Nullable Object> T withRoom(Event event, Function<Event, T> work) {
        int needed = Math.min(units, event.payload().length / UNIT);
        enter(needed);
        try {
            return work.apply(event);
        } finally {
            free.release(needed);
        }
    }

    private void enter(int needed) {
        try {
            if (needed == 0 || free.tryAcquire(needed, patience.toNanos(), NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw Problem.unavailable(
                        "the hub is checking as many large payloads as it has memory for; try again, with fewer at a time",
                        SOON)
                .asException();
    }
}
