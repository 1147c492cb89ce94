package dev.posthorn.sink.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the sink said about each event it was handed. Taken from any thread. */
final class Answers {

    private final Map<UUID, List<Outcome>> byEvent = new ConcurrentHashMap<>();

    Answer to(Event event) {
        List<Outcome> outcomes = new CopyOnWriteArrayList<>();
        byEvent.put(event.id(), outcomes);
        return outcomes::add;
    }

    /** Waits until each has an answer, and gives the first of each, in this order. */
    List<Outcome> awaitAll(List<Event> events, Duration patience) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(patience)
                .untilAsserted(() -> assertThat(unanswered(events))
                        .as("events that were handed over and have no answer")
                        .isEmpty());
        return events.stream().map(event -> of(event).get(0)).toList();
    }

    private List<Event> unanswered(List<Event> events) {
        return events.stream().filter(event -> of(event).isEmpty()).toList();
    }

    List<Outcome> of(Event event) {
        return byEvent.getOrDefault(event.id(), List.of());
    }

    /** The events that were answered more than once. */
    List<UUID> repeated() {
        List<UUID> repeated = new ArrayList<>();
        byEvent.forEach((id, outcomes) -> {
            if (outcomes.size() > 1) {
                repeated.add(id);
            }
        });
        return repeated;
    }
}
