package dev.posthorn.server.overview;

import dev.posthorn.metrics.SubscriptionFigures;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The figures of all subscriptions as they were last read for the metrics, which happens every few seconds in any case: those
 * who look take what is there, and cost the database nothing. Thread-safe.
 */
public final class Board {

    private final AlertWatch watch;
    private volatile @Nullable Read last;

    Board(AlertWatch watch) {
        this.watch = watch;
    }

    /** What was read, by name. */
    public record Read(Instant at, List<SubscriptionFigures> figures) {

        public Read {
            figures = List.copyOf(figures);
        }
    }

    /** This was read. */
    public void take(List<SubscriptionFigures> figures) {
        Read read = new Read(Instant.now(), figures);
        watch.look(read);
        last = read;
    }

    /** What was read last; null if nothing was yet. */
    public @Nullable Read last() {
        return last;
    }
}
