package dev.posthorn.benchmarks.hub;

import dev.posthorn.benchmarks.testbed.EventJson;
import dev.posthorn.benchmarks.testbed.RestCalls;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Publishes arrays of events over REST, one request of a connection at a time. */
final class RestBatches implements Publishing {

    private final RestCalls hub;
    private final int batchSize;
    private final List<NewEvents> samples;

    RestBatches(String hub, int batchSize, List<NewEvents> samples) {
        this.hub = new RestCalls(hub);
        this.batchSize = batchSize;
        this.samples = samples;
    }

    @Override
    public void publish(int connection, int events) throws IOException, InterruptedException {
        NewEvents from = samples.get(connection);
        for (int sent = 0; sent < events; sent += batchSize) {
            int count = Math.min(batchSize, events - sent);
            hub.publish(EventJson.array(Stream.generate(from::next).limit(count)));
        }
    }

    /** Its threads end with the last reference to it; Java 17 has no other way. */
    @Override
    public void close() {}
}
