package dev.posthorn.server.replay;

import dev.posthorn.replay.ReplayItem;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An item that was not delivered.
 *
 * @param deadLetterId left out if the event was taken from the log
 * @param outcome failed or skipped
 * @param reason the class of the error, or why it was skipped
 */
record ItemAnswer(
        UUID messageId,
        String subscriberId,
        @Nullable Long deadLetterId,
        String outcome,
        String reason,
        @Nullable String errorMessage,
        Instant endedAt) {

    static ItemAnswer of(ReplayItem item) {
        return new ItemAnswer(
                item.eventId(),
                item.subscription(),
                item.deadLetterId(),
                item.outcome().name().toLowerCase(Locale.ROOT),
                item.reason(),
                item.message(),
                item.endedAt());
    }
}
