package dev.posthorn.server.subscriptions;

import dev.posthorn.event.Event;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.ingest.Ingest;
import dev.posthorn.server.metrics.IngestMetrics.Protocol;
import java.util.List;

/** Records events at a hub. */
final class Publishing {

    private Publishing() {}

    static Event event(String type, String key) {
        return Event.builder().source("test").type(type).key(key).json("{}").build();
    }

    static void publish(TestHub hub, String... types) {
        publish(hub, List.of(types).stream().map(type -> event(type, "k")).toList());
    }

    static void publish(TestHub hub, List<Event> events) {
        hub.bean(Ingest.class).record(events, Caller.LOCAL, Protocol.REST);
    }
}
