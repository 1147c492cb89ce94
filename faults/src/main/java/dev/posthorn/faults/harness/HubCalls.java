package dev.posthorn.faults.harness;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What people ask of a hub. */
public final class HubCalls {

    private static final String SUBSCRIPTION = "receiver";

    private static final String DOCUMENT = """
            {"sink": {"kind": "http", "url": "%s"}, "timeout": "%s", "lanes": %d, "start": "beginning",
             "retry": {"maxAttempts": "unlimited", "delays": ["200ms"]}}""";

    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final HubProcess hub;

    public HubCalls(HubProcess hub) {
        this.hub = hub;
    }

    /** Creates the subscription or changes it. */
    public void put(String url, String timeout, int lanes) throws IOException, InterruptedException {
        require(request("/v1/subscriptions/" + SUBSCRIPTION)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(DOCUMENT.formatted(url, timeout, lanes))));
    }

    /** Creates all subscriptions of a document. */
    public void create(String subscriptions) throws IOException, InterruptedException {
        post("/v1/subscriptions", subscriptions);
    }

    public void publish(String event) throws IOException, InterruptedException {
        post("/v1/events", event);
    }

    private void post(String path, String body) throws IOException, InterruptedException {
        require(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
    }

    private void require(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = send(request);
        if (answer.statusCode() / 100 != 2) {
            throw new IllegalStateException(
                    "what was asked of a hub was answered " + answer.statusCode() + ": " + answer.body());
        }
    }

    public void awaitReady() throws Exception {
        Patience.until("the hub is ready", () -> {
            hub.requireAlive();
            return isReady();
        });
    }

    /** Whether it can be called and has its database. */
    public boolean isReady() throws InterruptedException {
        try {
            return send(request("/actuator/health/readiness")).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Who owns lanes of the subscription, by the hub's own account. */
    public Set<String> owners() throws IOException, InterruptedException {
        Set<String> owners = new TreeSet<>();
        HttpResponse<String> answer = send(request("/v1/status"));
        for (JsonNode subscription : JSON.readTree(answer.body()).path("subscriptions")) {
            for (JsonNode lane : subscription.path("lanes")) {
                if (lane.path("owner").isString()) {
                    owners.add(lane.path("owner").asString());
                }
            }
        }
        return owners;
    }

    /** Its metrics, as Prometheus gets them. */
    public String metrics() throws IOException, InterruptedException {
        return send(request("/actuator/prometheus")).body();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(hub.rest() + path)).timeout(Duration.ofSeconds(60));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofString());
    }
}
