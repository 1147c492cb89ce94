package dev.posthorn.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A replay and how far it has come: {@code requested = delivered + failed + skipped + pending}, whenever one looks.
 *
 * @param stateReason why it is in this state, if somebody or something gave a reason
 * @param selection what was asked for, by the names under which it was asked
 * @param requested how many items it has
 * @param skipped how many items were not sent, by reason
 * @param ratePerSecond null limits nothing, as with the other limits
 * @param canary how many items go first
 * @param canaryGoesOn whether the others follow by themselves once all of those were delivered
 * @param trying whether only the canary may go
 * @param stopAtFailureRate which share of failed items pauses it
 * @param subscriptions how many items are for each, by the names that they had then
 * @param eta how long it will take at its rate, or if it has none, at the speed so far; null if nobody can tell
 */
public record Replay(
        long id,
        ReplayState state,
        @Nullable String stateReason,
        Map<String, String> selection,
        long requested,
        long delivered,
        long failed,
        Map<String, Long> skipped,
        long pending,
        @Nullable Double ratePerSecond,
        @Nullable Integer maxInFlight,
        @Nullable Integer canary,
        boolean canaryGoesOn,
        boolean trying,
        @Nullable Double stopAtFailureRate,
        String requestedBy,
        @Nullable String reason,
        Instant requestedAt,
        @Nullable Instant endedAt,
        Map<String, Long> subscriptions,
        @Nullable Duration eta) {

    public Replay {
        selection = sorted(selection);
        skipped = sorted(skipped);
        subscriptions = sorted(subscriptions);
    }

    public long skippedInAll() {
        return skipped.values().stream().mapToLong(Long::longValue).sum();
    }

    private static <V> Map<String, V> sorted(Map<String, V> map) {
        return Collections.unmodifiableMap(new TreeMap<>(map));
    }
}
