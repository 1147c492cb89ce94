package dev.posthorn.server.replay;

import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A replay; requested = delivered + failed + skipped + pending.
 *
 * @param skipped how many were not sent, by reason
 * @param subscribers how many items are for each
 * @param trying whether only the canary may go
 * @param eta how long it will take; left out if nobody can tell
 */
public record ReplayAnswer(
        long id,
        ReplayState state,
        @Nullable String stateReason,
        Map<String, String> selection,
        long requested,
        long delivered,
        long failed,
        Map<String, Long> skipped,
        long pending,
        Map<String, Long> subscribers,
        @Nullable Double ratePerSecond,
        @Nullable Integer maxInFlight,
        @Nullable CanaryAnswer canary,
        boolean trying,
        @Nullable Double stopAtFailureRate,
        String requestedBy,
        @Nullable String reason,
        Instant requestedAt,
        @Nullable Instant endedAt,
        @Nullable Duration eta) {

    /** How many go first, and what then. */
    public record CanaryAnswer(int count, String then) {}

    public static ReplayAnswer of(Replay replay) {
        return new ReplayAnswer(
                replay.id(),
                replay.state(),
                replay.stateReason(),
                replay.selection(),
                replay.requested(),
                replay.delivered(),
                replay.failed(),
                replay.skipped(),
                replay.pending(),
                replay.subscriptions(),
                replay.ratePerSecond(),
                replay.maxInFlight(),
                replay.canary() == null
                        ? null
                        : new CanaryAnswer(replay.canary(), replay.canaryGoesOn() ? "go-on" : "wait"),
                replay.trying(),
                replay.stopAtFailureRate(),
                replay.requestedBy(),
                replay.reason(),
                replay.requestedAt(),
                replay.endedAt(),
                replay.eta());
    }
}
