package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetter;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter in a list.
 *
 * @param id the dead letter's own
 * @param messageId the event's
 * @param sourceId the event's id as its source wrote it, if that is another text than its UUID
 * @param subscriberId the subscription that could not take it
 * @param cause the message without what differs from one event to the next
 * @param replays how often it was sent again in vain
 * @param holdsKey whether later events of its key wait for somebody to deal with it
 * @param discarded left out while it is open
 */
record DeadLetterItem(
        long id,
        UUID messageId,
        @Nullable String sourceId,
        String subscriberId,
        String type,
        String source,
        @Nullable String aggregateType,
        @Nullable String key,
        String errorMessage,
        String errorClass,
        String cause,
        int attempts,
        Instant firstFailedAt,
        Instant lastFailedAt,
        int replays,
        boolean holdsKey,
        DeadLetter.@Nullable Discard discarded) {

    static DeadLetterItem of(DeadLetter letter) {
        return new DeadLetterItem(
                letter.id(),
                letter.eventId(),
                letter.sourceId(),
                letter.subscription(),
                letter.type(),
                letter.source(),
                letter.aggregateType(),
                letter.key(),
                letter.errorMessage(),
                letter.errorClass(),
                letter.cause(),
                letter.attempts(),
                letter.firstFailedAt(),
                letter.lastFailedAt(),
                letter.replays(),
                letter.holdsKey(),
                letter.discard());
    }
}
