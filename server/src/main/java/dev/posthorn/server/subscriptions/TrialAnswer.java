package dev.posthorn.server.subscriptions;

import org.jspecify.annotations.Nullable;

/**
 * What came back when a sample was sent.
 *
 * @param outcome delivered, retry, reject, unavailable or gone: what it would have meant for an event
 * @param reason why it was not delivered
 * @param status as the receiver's protocol has it, such as an HTTP status
 * @param reply the beginning of what the receiver said
 */
public record TrialAnswer(
        String outcome,
        @Nullable String reason,
        @Nullable Integer status,
        @Nullable String reply,
        long tookMillis) {}
