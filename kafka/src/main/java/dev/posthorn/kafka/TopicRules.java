package dev.posthorn.kafka;

import dev.posthorn.event.Event;
import java.util.LinkedHashMap;
import java.util.Map;

/** Which event goes to which topic. */
final class TopicRules {

    private final TopicTemplate usual;
    private final Map<String, TopicTemplate> byType = new LinkedHashMap<>();

    TopicRules(String usual, Map<String, String> byType) {
        this.usual = TopicTemplate.of(usual);
        byType.forEach((type, template) -> this.byType.put(type, TopicTemplate.of(template, type)));
    }

    TopicTemplate templateFor(Event event) {
        return byType.isEmpty() ? usual : byType.getOrDefault(event.type(), usual);
    }

    @Override
    public String toString() {
        return byType.isEmpty() ? usual.toString() : usual + " " + byType;
    }
}
