package dev.posthorn.server.events;

import dev.posthorn.status.EventSummary;
import dev.posthorn.status.Status;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event in a list.
 *
 * @param sourceId the id as its source wrote it, if that is another text than {@code id}
 * @param status the worst of its subscriptions'; left out if no subscription wants it
 */
record EventItem(
        UUID id,
        @Nullable String sourceId,
        String source,
        String type,
        int version,
        @Nullable String aggregateType,
        @Nullable String key,
        String contentType,
        Instant occurredAt,
        Instant recordedAt,
        @Nullable Instant deliverAt,
        @Nullable Status status,
        List<SubscriptionItem> subscriptions) {

    static EventItem of(EventSummary event) {
        return new EventItem(
                event.id(),
                event.sourceId(),
                event.source(),
                event.type(),
                event.version(),
                event.aggregateType(),
                event.key(),
                event.contentType(),
                event.occurredAt(),
                event.createdAt(),
                event.deliverAt(),
                event.overall().orElse(null),
                event.subscriptions().stream().map(SubscriptionItem::of).toList());
    }
}
