package dev.posthorn.kafka;

import dev.posthorn.event.Event;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the topic of an event, for one thread. Most events are of the kind of the one before, or of one seen lately. */
final class Topics {

    private static final int MOST_KINDS = 10_000;

    /** What an event's topic depends on. */
    private record Kind(String type, @Nullable String aggregateType, String source) {

        boolean isOf(Event event) {
            return type.equals(event.type())
                    && source.equals(event.source())
                    && Objects.equals(aggregateType, event.aggregateType());
        }
    }

    private final TopicRules rules;
    private final Map<Kind, Topic> byKind = new HashMap<>();
    private final Map<String, Topic> byName = new HashMap<>();
    private @Nullable Kind lastKind;
    private @Nullable Topic lastTopic;

    Topics(TopicRules rules) {
        this.rules = rules;
    }

    Topic of(Event event) {
        if (lastKind == null || lastTopic == null || !lastKind.isOf(event)) {
            lastKind = new Kind(event.type(), event.aggregateType(), event.source());
            lastTopic = find(lastKind, event);
        }
        return lastTopic;
    }

    private Topic find(Kind kind, Event event) {
        if (byKind.size() >= MOST_KINDS) {
            byKind.clear();
        }
        return byKind.computeIfAbsent(kind, unseen -> {
            String name = rules.templateFor(event).topicOf(event);
            return byName.computeIfAbsent(name, Topic::new);
        });
    }
}
