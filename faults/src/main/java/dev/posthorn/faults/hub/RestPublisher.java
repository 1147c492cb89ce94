package dev.posthorn.faults.hub;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.faults.harness.Change;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Publishes batches over REST, each again and again with the same ids until it is acknowledged. */
final class RestPublisher {

    /** Longer than a hub waits for its database, so that it is the hub that says no. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int MOST_EVENTS = 20;
    private static final int PAUSE_MILLIS = 100;
    private static final int THINK_MILLIS = 50;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<String> hubs;
    private final Keys keys;
    private final SplittableRandom random;
    private final Journal journal;
    private int turn;

    RestPublisher(List<String> hubs, Keys keys, SplittableRandom random, Journal journal) {
        this.hubs = hubs;
        this.keys = keys;
        this.random = random;
        this.journal = journal;
    }

    void publishUntil(BooleanSupplier stopping) throws InterruptedException {
        while (!stopping.getAsBoolean()) {
            List<Change> batch = Stream.generate(keys::next)
                    .limit(1 + random.nextInt(MOST_EVENTS))
                    .toList();
            String body = batch.stream()
                    .map(change -> json(change, keys.traffic()))
                    .collect(Collectors.joining(",", "[", "]"));
            while (!attempt(batch, body)) {
                turn++;
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            TimeUnit.MILLISECONDS.sleep(
                    random.nextInt(THINK_MILLIS * keys.traffic().thinking()));
        }
    }

    static String json(Change change, Traffic traffic) {
        String data = Base64.getEncoder().encodeToString(Keys.text(change).getBytes(UTF_8));
        return "{\"id\":\"" + change.id() + "\",\"source\":\"faults\",\"type\":\"" + traffic.type(change.aggregate())
                + "\",\"key\":\"" + change.aggregate() + "\",\"contentType\":\"text/plain\",\"dataBase64\":\"" + data
                + "\"}";
    }

    private boolean attempt(List<Change> batch, String body) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(hubs.get(turn % hubs.size()) + "/v1/events"))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        long since = System.nanoTime();
        journal.begun();
        try {
            return isAcknowledged(http.send(request, BodyHandlers.ofString()), batch, since);
        } catch (HttpTimeoutException e) {
            throw new IllegalStateException("a hub took a request and did not answer it for " + PATIENCE, e);
        } catch (IOException e) {
            journal.count("REST connections failed");
            return false;
        } finally {
            journal.ended();
        }
    }

    private boolean isAcknowledged(HttpResponse<String> answer, List<Change> batch, long since) {
        String text = answer.body();
        if (answer.statusCode() == 202 || answer.statusCode() == 200) {
            journal.acknowledged(batch, since);
            journal.count("REST duplicates", text.split("\"duplicate\":true", -1).length - 1);
            return true;
        }
        if (answer.statusCode() == 503
                && answer.headers().firstValue("Retry-After").isPresent()) {
            journal.count("REST 503s");
            return false;
        }
        throw new IllegalStateException(
                "a hub answered " + answer.statusCode() + " " + answer.headers().map() + ": " + text);
    }
}
