package dev.posthorn.server.events;

import dev.posthorn.status.Status;
import dev.posthorn.status.SubscriptionStatus;
import dev.posthorn.subscription.Attempt;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has become of an event for one subscription.
 *
 * @param deletedAt when the subscription was deleted; left out if it was not. Its name may be another's by now
 * @param attempts those begun, as far as known
 * @param errorClass of the last failure of an event that waits, is held or is a dead letter, like the message and the time
 * @param lastStatusAt since when the status is what it is; left out only if nobody knows any more when it was delivered
 * @param made the attempts of which a record is kept, the first one first; only if one event was asked for
 */
public record SubscriptionItem(
        String subscription,
        @Nullable Instant deletedAt,
        Status status,
        int attempts,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant deliveredAt,
        @Nullable String errorClass,
        @Nullable String errorMessage,
        @Nullable Instant lastFailedAt,
        @Nullable Instant lastStatusAt,
        @Nullable List<AttemptItem> made) {

    static SubscriptionItem of(SubscriptionStatus status) {
        return of(status, status.errorMessage(), null);
    }

    static SubscriptionItem withAttempts(SubscriptionStatus status, List<Attempt> made, EventView view) {
        return of(
                status,
                view.reason(status.errorClass(), status.errorMessage()),
                made.stream().map(attempt -> AttemptItem.of(attempt, view)).toList());
    }

    private static SubscriptionItem of(
            SubscriptionStatus status, @Nullable String errorMessage, @Nullable List<AttemptItem> made) {
        return new SubscriptionItem(
                status.subscription(),
                status.deletedAt(),
                status.status(),
                status.attempts(),
                status.nextAttemptAt(),
                status.deliveredAt(),
                status.errorClass(),
                errorMessage,
                status.lastFailedAt(),
                status.lastStatusAt(),
                made);
    }

    /** One try to deliver an event. */
    public record AttemptItem(
            int number,
            Instant startedAt,
            long tookMillis,
            String outcome,
            @Nullable String errorClass,
            @Nullable String message,
            @Nullable Integer replyCode,
            @Nullable String reply,
            String instance) {

        public static AttemptItem of(Attempt attempt, EventView view) {
            return new AttemptItem(
                    attempt.number(),
                    attempt.startedAt(),
                    attempt.took().toMillis(),
                    attempt.outcome(),
                    attempt.errorClass(),
                    view.reason(attempt.errorClass(), attempt.message()),
                    attempt.reply() == null ? null : attempt.reply().code(),
                    attempt.reply() == null ? null : view.text(attempt.reply().text()),
                    attempt.instance());
        }
    }
}
