package dev.posthorn.server.replay;

import dev.posthorn.server.deadletters.DeadLetterFilter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What is to be sent again, and how. Exactly one of id, messageId, ids, filter and history says what.
 *
 * @param id of a dead letter
 * @param messageId of an event that is a dead letter; with subscriberId if several subscribers could not take it
 * @param ids of dead letters
 * @param dryRun whether only to tell what would be sent
 * @param ratePerSecond how many a second; left out, as fast as they go
 * @param maxInFlight how many of them a subscriber has at a time, over all lanes and instances
 * @param canary how many go first, a number or an object with count and then ("wait" or "go-on")
 * @param stopAtFailureRate pauses the replay if a greater share than this, 0 to 1, has failed
 * @param reason why; needed above posthorn.replay.reason-above items
 */
record ReplayDocument(
        @Nullable Long id,
        @Nullable String messageId,
        @Nullable String subscriberId,
        @Nullable List<Long> ids,
        @Nullable DeadLetterFilter filter,
        @Nullable HistoryDocument history,
        @Nullable Boolean dryRun,
        @Nullable Double ratePerSecond,
        @Nullable Integer maxInFlight,

        @Schema(implementation = CanaryDocument.class) @Nullable
        JsonNode canary,

        @Nullable Double stopAtFailureRate,
        @Nullable String reason) {

    boolean isDryRun() {
        return Boolean.TRUE.equals(dryRun);
    }

    /**
     * Events of the log, for one subscriber.
     *
     * @param from recorded at or after
     * @param to recorded before
     * @param types exact, or patterns with *
     * @param eventId of this event alone, a UUID; all others but subscriberId are left out then
     */
    record HistoryDocument(
            @Nullable String subscriberId,
            @Nullable String from,
            @Nullable String to,
            @Nullable List<String> types,
            @Nullable String aggregateType,
            @Nullable String key,
            @Nullable UUID eventId) {}

    /**
     * The first ones, as a trial.
     *
     * @param then wait: for somebody to resume the replay; go-on: by itself if all of them were delivered
     */
    record CanaryDocument(int count, @Nullable String then) {}

    /** Another pace; null takes a limit away, and what is left out stays. */
    record PaceDocument(
            @Nullable Double ratePerSecond, @Nullable Integer maxInFlight) {}
}
