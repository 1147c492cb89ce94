package dev.posthorn.log;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Between which seqs the events of a time lie. The log has no index on the time, but an INSERT draws seq and time
 * together, so that they ascend nearly alike, and halving finds the place in a few looks. Nearly: hence a margin, which
 * also covers a clock that was put back by less than that.
 *
 * @param least no event of the time has a lower seq
 * @param before no event of the time has this seq or a higher one
 */
public record TimeBounds(long least, long before) {

    static final Duration MARGIN = Duration.ofMinutes(1);

    public static final String NEXT =
            "SELECT seq, created_at FROM posthorn.event WHERE seq >= :seq ORDER BY seq LIMIT 1";

    private static final String LAST = "SELECT seq, created_at FROM posthorn.event ORDER BY seq DESC LIMIT 1";

    private record Place(long seq, Instant time) {}

    /** Without any time nothing is looked up. */
    public static TimeBounds of(Queries.Transaction transaction, @Nullable Instant from, @Nullable Instant to)
            throws SQLException {
        return new TimeBounds(
                from == null ? 0 : least(transaction, from.minus(MARGIN)),
                to == null ? Long.MAX_VALUE : firstFrom(transaction, to.plus(MARGIN)));
    }

    /** What is older than the log may have a dead letter still, so the log's first event bounds nothing. */
    private static long least(Queries.Transaction transaction, Instant time) throws SQLException {
        Optional<Place> first = next(transaction, 0);
        return first.isEmpty() || !first.get().time().isBefore(time) ? 0 : firstFrom(transaction, time);
    }

    /** The seq of the first event recorded at or after the time; the greatest number if there is none. */
    private static long firstFrom(Queries.Transaction transaction, Instant time) throws SQLException {
        Optional<Place> last = transaction.first(LAST, Map.of(), TimeBounds::place);
        if (last.isEmpty() || last.get().time().isBefore(time)) {
            return Long.MAX_VALUE;
        }
        long low = 0;
        long high = last.get().seq();
        while (low < high) {
            long middle = low + (high - low) / 2;
            Place place = next(transaction, middle).orElse(last.get());
            if (place.time().isBefore(time)) {
                low = place.seq() + 1;
            } else {
                high = middle;
            }
        }
        return next(transaction, low).map(Place::seq).orElse(Long.MAX_VALUE);
    }

    private static Optional<Place> next(Queries.Transaction transaction, long seq) throws SQLException {
        return transaction.first(NEXT, Map.of("seq", seq), TimeBounds::place);
    }

    private static Place place(ResultSet row) throws SQLException {
        return new Place(row.getLong("seq"), Queries.time(row, "created_at"));
    }
}
