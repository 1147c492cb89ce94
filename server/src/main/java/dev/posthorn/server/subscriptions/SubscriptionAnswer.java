package dev.posthorn.server.subscriptions;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as it is, with ******** in place of each secret.
 *
 * @param servedBy application: its own relay serves it, and it cannot be changed here. Left out: the hub serves it
 * @param revision of its document; left out, like changedAt, if an application serves it
 * @param pauseReason why it was paused, if the receiver asked for it
 * @param reason why it is locked or invalid
 * @param formerSecretUntil when the second of the signing secrets is dropped, which a new one has followed
 */
public record SubscriptionAnswer(
        String name,
        @Nullable ServedBy servedBy,
        @Nullable Long revision,
        Instant createdAt,
        @Nullable Instant changedAt,
        boolean paused,
        @Nullable String pauseReason,
        State state,
        @Nullable String reason,
        @Nullable Instant formerSecretUntil,
        @JsonUnwrapped @Nullable SubscriptionDocument document) {}
