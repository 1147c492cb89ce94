package dev.posthorn.server.stream;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is told on the stream: the data of each kind of message. */
final class StreamMessages {

    private StreamMessages() {}

    /**
     * Event {@code hello}, the first message.
     *
     * @param resumed whether everything since Last-Event-ID follows; if not, read anew what is shown
     * @param topics what will be told
     */
    record Hello(boolean resumed, List<String> topics) {}

    /**
     * Event {@code subscriptions}: these were made, changed, paused, resumed or deleted, or are in other trouble than before.
     *
     * @param names at most 100 of them
     * @param more whether there are others too
     */
    record SubscriptionsChanged(List<String> names, boolean more) {}

    /**
     * Event {@code dead-letters}: there are more or fewer.
     *
     * @param deadLetters the open ones of all subscriptions
     * @param subscriptions of which there are more or fewer than before; at most 100 of them
     * @param more whether there are others too
     */
    record DeadLettersChanged(long deadLetters, List<String> subscriptions, boolean more) {}

    /**
     * Event {@code events}: these were recorded, in the order in which they were committed.
     *
     * @param skipped how many more there were than can be told
     */
    record EventsRecorded(List<TailedEvent> events, long skipped) {}

    /**
     * An event without its payload and its headers.
     *
     * @param sourceId the id as its source wrote it, if that is another text than {@code id}
     */
    record TailedEvent(
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
            @Nullable Instant deliverAt) {

        static TailedEvent of(RecordedEvent recorded) {
            Event event = recorded.event();
            return new TailedEvent(
                    event.id(),
                    event.sourceId(),
                    event.source(),
                    event.type(),
                    event.version(),
                    event.aggregateType(),
                    event.key(),
                    event.contentType(),
                    Objects.requireNonNullElse(event.occurredAt(), recorded.createdAt()),
                    recorded.createdAt(),
                    event.deliverAt());
        }
    }
}
