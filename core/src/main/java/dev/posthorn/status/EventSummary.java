package dev.posthorn.status;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event without its payload and headers, and what has become of it.
 *
 * @param subscriptions one for each subscription that wants it, by name; empty if none does
 */
public record EventSummary(
        long seq,
        UUID id,
        @Nullable String sourceId,
        String source,
        String type,
        int version,
        @Nullable String aggregateType,
        @Nullable String key,
        String contentType,
        Instant occurredAt,
        Instant createdAt,
        @Nullable Instant deliverAt,
        List<SubscriptionStatus> subscriptions) {

    public EventSummary {
        subscriptions = List.copyOf(subscriptions);
    }

    /** The worst of its subscriptions'; empty if none wants it. */
    public Optional<Status> overall() {
        return Status.worst(
                subscriptions.stream().map(SubscriptionStatus::status).toList());
    }
}
