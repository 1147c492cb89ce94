package dev.posthorn.relay.store;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a delivery row is to be, whether it exists already or not. One that is held joins the end of its key.
 *
 * @param dueIn when it is due, from the settle on; or {@code dueAt}; neither if it is held
 * @param unanswered whether the attempt is counted before it is made
 * @param replay what makes it one that is sent again; null if it is not
 */
public record RowChange(
        long seq,
        UUID eventId,
        @Nullable String key,
        DeliveryState state,
        int attempts,
        @Nullable Duration dueIn,
        @Nullable Instant dueAt,
        Outcome.@Nullable Failure failure,
        boolean unanswered,
        @Nullable Replayed replay) {

    public static RowChange deferred(RecordedEvent event, int attempts, Instant until) {
        return new RowChange(
                event.seq(),
                event.event().id(),
                event.event().key(),
                DeliveryState.DEFERRED,
                attempts,
                null,
                until,
                null,
                false,
                null);
    }

    public RowChange withFailure(Outcome.Failure other) {
        return new RowChange(seq, eventId, key, state, attempts, dueIn, dueAt, other, unanswered, replay);
    }
}
