package dev.posthorn.benchmarks.hub;

import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Sample events with new ids and times, their content made beforehand: what is measured is how they are taken, and making
 * them up would cost every side the same and so bring all closer together. Not thread-safe.
 */
final class NewEvents {

    private static final int DIFFERENT = 2_000;

    private final List<Event> contents = new ArrayList<>();
    private int next;

    NewEvents(long seed, int size, int keys) {
        SampleEvents samples = new SampleEvents(seed, size, keys);
        for (int i = 0; i < DIFFERENT; i++) {
            contents.add(samples.next());
        }
    }

    Event next() {
        Event content = contents.get(next++ % DIFFERENT);
        return new Event(
                EventIds.next(),
                null,
                content.source(),
                content.type(),
                content.version(),
                content.aggregateType(),
                content.key(),
                content.contentType(),
                content.payload(),
                Map.of(),
                Instant.now(),
                null);
    }
}
