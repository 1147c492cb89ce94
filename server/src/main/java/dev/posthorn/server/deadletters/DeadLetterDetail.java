package dev.posthorn.server.deadletters;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.posthorn.deadletter.DeadLetter;
import dev.posthorn.deadletter.FullDeadLetter;
import dev.posthorn.event.Event;
import dev.posthorn.server.events.EventView;
import dev.posthorn.server.events.SubscriptionItem.AttemptItem;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter with everything that is known about it.
 *
 * @param data the payload, if it is JSON: byte for byte as it was recorded
 * @param dataText the payload, if it is JSON and was asked for as text: {@code data} as the text that was recorded
 * @param dataBase64 the payload, if it is anything else
 * @param decoded the payload, if its type has a Protobuf descriptor: as Protobuf writes messages in JSON
 * @param made the attempts of which a record is kept, the first one first
 * @param replaying whether it is being sent again
 * @param replay the id of the replay that does so
 */
record DeadLetterDetail(
        long id,
        UUID messageId,
        @Nullable String sourceId,
        String subscriberId,
        String type,
        int version,
        String source,
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
        String errorMessage,
        String errorClass,
        String cause,
        int attempts,
        Instant firstFailedAt,
        Instant lastFailedAt,
        int replays,
        boolean holdsKey,
        boolean replaying,
        @Nullable Long replay,
        DeadLetter.@Nullable Discard discarded,
        List<AttemptItem> made) {

    static DeadLetterDetail of(FullDeadLetter full, EventView view) {
        DeadLetter letter = full.letter();
        Event event = full.event().event();
        return new DeadLetterDetail(
                letter.id(),
                letter.eventId(),
                letter.sourceId(),
                letter.subscription(),
                letter.type(),
                event.version(),
                letter.source(),
                letter.aggregateType(),
                letter.key(),
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
                Objects.requireNonNull(view.reason(letter.errorClass(), letter.errorMessage())),
                letter.errorClass(),
                Objects.requireNonNull(view.reason(letter.errorClass(), letter.cause())),
                letter.attempts(),
                letter.firstFailedAt(),
                letter.lastFailedAt(),
                letter.replays(),
                letter.holdsKey(),
                full.replaying(),
                full.replay(),
                letter.discard(),
                full.attempts().stream()
                        .map(attempt -> AttemptItem.of(attempt, view))
                        .toList());
    }
}
