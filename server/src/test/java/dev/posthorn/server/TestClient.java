package dev.posthorn.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls a hub's REST API, as curl would. */
public final class TestClient {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String base;
    private final List<String> headers;

    public TestClient(String base) {
        this(base, List.of());
    }

    private TestClient(String base, List<String> headers) {
        this.base = base;
        this.headers = headers;
    }

    /** The same with one header more in every call. */
    public TestClient with(String name, String value) {
        List<String> more = new ArrayList<>(headers);
        more.addAll(List.of(name, value));
        return new TestClient(base, more);
    }

    /** What came back. */
    public record Answer(int status, HttpResponse<byte[]> response) {

        public String text() {
            return new String(response.body(), UTF_8);
        }

        public JsonNode json() {
            return JSON.readTree(response.body());
        }

        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    public Answer get(String path) {
        return call("GET", path, null);
    }

    public Answer delete(String path) {
        return call("DELETE", path, null);
    }

    public Answer put(String path, String json) {
        return with("Content-Type", "application/json").call("PUT", path, json.getBytes(UTF_8));
    }

    public Answer post(String path, String json) {
        return with("Content-Type", "application/json").call("POST", path, json.getBytes(UTF_8));
    }

    public Answer post(String path) {
        return call("POST", path, new byte[0]);
    }

    /** Any call at all; without a body if it is null. */
    public Answer call(String method, String path, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(Duration.ofMinutes(2))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        try {
            HttpResponse<byte[]> response = HTTP.send(request.build(), BodyHandlers.ofByteArray());
            return new Answer(response.statusCode(), response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
