package dev.posthorn.server.events;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.posthorn.event.Event;
import dev.posthorn.status.FullEvent;
import dev.posthorn.status.Status;
import dev.posthorn.status.SubscriptionStatus;
import dev.posthorn.subscription.Attempt;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event with everything that is known about it.
 *
 * @param sourceId the id as its source wrote it, if that is another text than {@code id}
 * @param data the payload, if it is JSON: byte for byte as it was recorded, but for what is masked
 * @param dataBase64 the payload, if it is anything else
 * @param dataText the payload, if it is JSON and was asked for as text: {@code data} as the text that was recorded, so that
 *     no reader rounds its numbers
 * @param decoded the payload, if its type has a Protobuf descriptor: as Protobuf writes messages in JSON
 * @param payloadHidden true if there is a payload that the caller may not see any of; left out otherwise
 * @param status the worst of its subscriptions'; left out if no subscription wants it
 */
record EventDetail(
        UUID id,
        @Nullable String sourceId,
        String source,
        String type,
        int version,
        @Nullable String aggregateType,
        @Nullable String key,
        String contentType,
        @Nullable Instant occurredAt,
        Instant recordedAt,
        @Nullable Instant deliverAt,
        Map<String, String> headers,

        @Schema(types = {"object", "array", "string", "number", "boolean", "null"}) @JsonRawValue @Nullable
        String data,

        @Nullable String dataText,
        @Nullable String dataBase64,

        @Schema(types = {"object", "array", "string", "number", "boolean", "null"}) @JsonRawValue @Nullable
        String decoded,

        @Nullable Boolean payloadHidden,
        @Nullable Status status,
        List<SubscriptionItem> subscriptions) {

    static EventDetail of(FullEvent full, EventView view) {
        Event event = full.event().event();
        return new EventDetail(
                event.id(),
                event.sourceId(),
                event.source(),
                event.type(),
                event.version(),
                event.aggregateType(),
                event.key(),
                event.contentType(),
                event.occurredAt(),
                full.event().createdAt(),
                event.deliverAt(),
                event.headers(),
                view.payload().json(),
                view.payload().text(),
                view.payload().base64(),
                view.payload().decoded(),
                view.payload().hidden(),
                full.overall().orElse(null),
                full.subscriptions().stream()
                        .map(status -> SubscriptionItem.withAttempts(status, attempts(full, status), view))
                        .toList());
    }

    /** Those under the name of a deleted subscription are of another one that has it now. */
    private static List<Attempt> attempts(FullEvent full, SubscriptionStatus status) {
        return status.deletedAt() == null ? full.attempts().getOrDefault(status.subscription(), List.of()) : List.of();
    }
}
