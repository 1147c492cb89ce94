package dev.posthorn.server.events;

import dev.posthorn.event.Event;
import dev.posthorn.status.EventSummary;
import dev.posthorn.status.FullEvent;
import dev.posthorn.status.Status;
import dev.posthorn.status.SubscriptionStatus;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
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

    /** Without subscriptions that were deleted, as in every list. */
    static EventItem of(FullEvent full) {
        Event event = full.event().event();
        List<SubscriptionStatus> theirs = full.subscriptions().stream()
                .filter(each -> each.deletedAt() == null)
                .toList();
        return of(new EventSummary(
                full.event().seq(),
                event.id(),
                event.sourceId(),
                event.source(),
                event.type(),
                event.version(),
                event.aggregateType(),
                event.key(),
                event.contentType(),
                Objects.requireNonNullElse(event.occurredAt(), full.event().createdAt()),
                full.event().createdAt(),
                event.deliverAt(),
                theirs));
    }

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
