package dev.posthorn.server.stream;

import dev.posthorn.server.stream.StreamMessages.EventsRecorded;
import dev.posthorn.server.stream.StreamMessages.TailedEvent;
import dev.posthorn.status.RecentEvents;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened.
 *
 * @param event as the stream names it
 * @param data what to tell a listener; null: nothing, because it wants none of it
 */
record Message(Topic topic, String event, Function<Listener, @Nullable Object> data) {

    /** The same for all who watch the topic. */
    static Message of(Topic topic, String event, Object data) {
        return new Message(topic, event, listener -> data);
    }

    /** Of which each listener gets what it wants. */
    static Message recorded(RecentEvents.News news) {
        return new Message(Topic.EVENTS, "events", listener -> {
            List<TailedEvent> wanted = news.events().stream()
                    .filter(each -> listener.match().wants(each.event()))
                    .map(TailedEvent::of)
                    .toList();
            return wanted.isEmpty() && news.skipped() == 0 ? null : new EventsRecorded(wanted, news.skipped());
        });
    }
}
