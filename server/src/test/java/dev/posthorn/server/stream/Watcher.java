package dev.posthorn.server.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a stream of server-sent events, as a page does. */
final class Watcher implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final HttpResponse<InputStream> response;
    private final BlockingQueue<Said> said = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    /** A message. */
    record Said(String id, String event, JsonNode data) {}

    private Watcher(HttpResponse<InputStream> response) {
        this.response = response;
        Thread reader = new Thread(this::read, "watcher");
        reader.setDaemon(true);
        reader.start();
    }

    static Watcher of(int port, String query, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/stream" + query));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return new Watcher(HTTP.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    int status() {
        return response.statusCode();
    }

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
            List<String> message = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isEmpty()) {
                    message.add(line);
                } else if (!message.isEmpty()) {
                    if (message.size() == 3) {
                        said.add(new Said(
                                message.get(0).substring("id: ".length()),
                                message.get(1).substring("event: ".length()),
                                JSON.readTree(message.get(2).substring("data: ".length()))));
                    }
                    message.clear();
                }
            }
        } catch (IOException gone) {
            // It has ended one way or another.
        } finally {
            ended.countDown();
        }
    }

    /** The next message of that kind; those before it are passed over. */
    Said next(String event) {
        try {
            for (int i = 0; i < 100; i++) {
                Said next = said.poll(60, SECONDS);
                if (next == null) {
                    break;
                }
                if (next.event().equals(event)) {
                    return next;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new AssertionError("no message " + event);
    }

    boolean isEnded() throws InterruptedException {
        return ended.await(60, SECONDS);
    }

    @Override
    public void close() {
        try {
            response.body().close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
