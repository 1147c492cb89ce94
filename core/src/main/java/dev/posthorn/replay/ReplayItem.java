package dev.posthorn.replay;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An item that was not delivered.
 *
 * @param subscription the name that the subscription had when the replay was asked for
 * @param deadLetterId null if the event was taken from the log
 * @param reason if it failed, the class of the error; if it was skipped, why: {@code cancelled}, for instance
 * @param message what the receiver or the sink said, if it failed
 */
public record ReplayItem(
        String subscription,
        long seq,
        UUID eventId,
        @Nullable Long deadLetterId,
        Outcome outcome,
        String reason,
        @Nullable String message,
        Instant endedAt) {

    /** How it ended. Delivered items leave no row: they are counted. */
    public enum Outcome {
        FAILED,
        SKIPPED
    }
}
