package dev.posthorn.benchmarks.hub;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.posthorn.event.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;

/** Publishes arrays of events over REST, one request of a connection at a time. */
final class RestBatches implements Publishing {

    private static final int ACCEPTED = 202;

    /** Of an event, for what is not its payload. */
    private static final int ENVELOPE = 300;

    private final URI uri;
    private final int batchSize;
    private final List<NewEvents> samples;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    RestBatches(String hub, int batchSize, List<NewEvents> samples) {
        this.uri = URI.create(hub + "/v1/events");
        this.batchSize = batchSize;
        this.samples = samples;
    }

    @Override
    public void publish(int connection, int events) throws IOException, InterruptedException {
        NewEvents from = samples.get(connection);
        for (int sent = 0; sent < events; sent += batchSize) {
            post(body(from, Math.min(batchSize, events - sent)));
        }
    }

    private void post(byte[] body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() != ACCEPTED) {
            throw new IllegalStateException("The hub answered " + response.statusCode() + ": " + response.body());
        }
    }

    private static byte[] body(NewEvents from, int count) {
        ByteArrayOutputStream json = new ByteArrayOutputStream(count * ENVELOPE);
        for (int i = 0; i < count; i++) {
            json.write(i == 0 ? '[' : ',');
            append(json, from.next());
        }
        json.write(']');
        return json.toByteArray();
    }

    /** Sample events hold nothing that JSON would have to escape. */
    private static void append(ByteArrayOutputStream json, Event event) {
        String envelope = "{\"id\":\"" + event.id() + "\",\"source\":\"" + event.source() + "\",\"type\":\""
                + event.type() + "\",\"version\":" + event.version() + ",\"aggregateType\":\"" + event.aggregateType()
                + "\",\"key\":\"" + event.key() + "\",\"occurredAt\":\"" + event.occurredAt() + "\",\"data\":";
        json.writeBytes(envelope.getBytes(US_ASCII));
        json.writeBytes(event.payload());
        json.write('}');
    }

    /** Its threads end with the last reference to it; Java 17 has no other way. */
    @Override
    public void close() {}
}
