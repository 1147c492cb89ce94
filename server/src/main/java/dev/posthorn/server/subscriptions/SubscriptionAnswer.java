package dev.posthorn.server.subscriptions;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as it is, with ******** in place of each secret.
 *
 * @param pauseReason why it was paused, if the receiver asked for it
 * @param reason why it is locked or invalid
 */
public record SubscriptionAnswer(
        String name,
        long revision,
        Instant createdAt,
        Instant changedAt,
        boolean paused,
        @Nullable String pauseReason,
        State state,
        @Nullable String reason,
        @JsonUnwrapped @Nullable Document document) {}
