package dev.posthorn.server.subscriptions;

import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a subscription was from some time on.
 *
 * @param changedBy the name of the API key, or local
 * @param deleted from then on it was deleted, and there is no document
 */
public record RevisionAnswer(
        long revision,
        String changedBy,
        Instant changedAt,
        boolean deleted,
        @Nullable SubscriptionDocument document) {}
