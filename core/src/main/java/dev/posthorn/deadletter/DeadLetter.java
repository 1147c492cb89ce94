package dev.posthorn.deadletter;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that one subscription could not take, without its payload; {@link DeadLetters#get} has all of it.
 *
 * @param key the event's ordering key; null means unordered
 * @param attempts how many were counted
 * @param cause the message without what differs from one event to the next
 * @param holdsKey whether later events of its key wait until somebody deals with it
 * @param replays how often it was sent again in vain
 * @param discard null while it is open
 */
public record DeadLetter(
        long id,
        String subscription,
        long seq,
        UUID eventId,
        @Nullable String sourceId,
        String source,
        String type,
        @Nullable String aggregateType,
        @Nullable String key,
        int attempts,
        String errorClass,
        String errorMessage,
        String cause,
        Instant firstFailedAt,
        Instant lastFailedAt,
        boolean holdsKey,
        int replays,
        @Nullable Discard discard) {

    /** Who gave it up, when and why. */
    public record Discard(Instant at, String by, String reason) {}

    public boolean isOpen() {
        return discard == null;
    }
}
