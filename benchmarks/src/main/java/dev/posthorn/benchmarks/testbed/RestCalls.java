package dev.posthorn.benchmarks.testbed;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;

/** What is asked of a hub over REST. */
public final class RestCalls {

    /** Longer than the hub lets any of its statements take. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private static final String EVENTS = "/v1/events";

    /** Recorded, or known already. */
    private static final Set<Integer> TAKEN = Set.of(200, 202);

    private final String hub;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /**
     * Asks nothing yet.
     *
     * @param hub where it is, with its scheme
     */
    public RestCalls(String hub) {
        this.hub = hub;
    }

    /** Publishes an event or an array of them. */
    public void publish(byte[] json) throws IOException, InterruptedException {
        require(TAKEN, "POST", EVENTS, json);
    }

    /** False if the hub does not take it now, for whatever reason. */
    public boolean tryToPublish(byte[] json) throws InterruptedException {
        try {
            return TAKEN.contains(send("POST", EVENTS, json).statusCode());
        } catch (IOException notYet) {
            return false;
        }
    }

    /** A call that has to be answered by one of these; gives by which. */
    public int require(Set<Integer> expected, String method, String path, byte[] body)
            throws IOException, InterruptedException {
        HttpResponse<String> response = send(method, path, body);
        if (!expected.contains(response.statusCode())) {
            throw new IllegalStateException("The hub answered " + method + " " + path + " with " + response.statusCode()
                    + ": " + response.body());
        }
        return response.statusCode();
    }

    private HttpResponse<String> send(String method, String path, byte[] body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(hub + path))
                .timeout(LONGEST)
                .header("Content-Type", "application/json")
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }
}
