package dev.posthorn.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Customers who place orders and change them, each one request after the other. Now and then one wants an order of nothing,
 * which the database refuses. A request that is not answered is not repeated: whether it had its effect only the database
 * knows.
 */
final class Customers {

    private static final int NUMBER = 8;
    private static final int ORDERS_IN_MIND = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Far beyond their patience: on a busy machine a timeout is noticed late too. */
    private static final Duration LAST_ANSWERS = Duration.ofMinutes(2);

    private final URI orders;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(NUMBER);
    private final List<ScheduledFuture<?>> requests = new ArrayList<>();
    private final Map<UUID, List<Long>> acknowledged = new ConcurrentHashMap<>();
    private final AtomicLong placed = new AtomicLong();
    private final AtomicLong changed = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong unanswered = new AtomicLong();

    private Customers(int port) {
        this.orders = URI.create("http://127.0.0.1:" + port + "/orders");
    }

    /** @param rate requests per second of all of them together */
    static Customers start(int port, int rate, long seed) {
        var customers = new Customers(port);
        long period = TimeUnit.SECONDS.toNanos(NUMBER) / rate;
        for (int i = 0; i < NUMBER; i++) {
            Customer customer = customers.new Customer("customer-" + i, new Random(seed + i));
            customers.requests.add(customers.threads.scheduleAtFixedRate(
                    customer::request, period * i / NUMBER, period, TimeUnit.NANOSECONDS));
        }
        return customers;
    }

    void stop() throws InterruptedException {
        threads.shutdown();
        if (!threads.awaitTermination(LAST_ANSWERS.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("a request had neither answer nor timeout");
        }
        // The shutdown cancels those that go on; one that is not cancelled has ended by an exception.
        if (!requests.stream().allMatch(ScheduledFuture::isCancelled)) {
            throw new IllegalStateException("a customer could not understand an answer and gave up");
        }
    }

    /** After {@link #stop()}: the amounts of each order that the service has confirmed, in their order. */
    Map<UUID, List<Long>> acknowledged() {
        return Map.copyOf(acknowledged);
    }

    long placed() {
        return placed.get();
    }

    long changed() {
        return changed.get();
    }

    long refused() {
        return refused.get();
    }

    long unanswered() {
        return unanswered.get();
    }

    private final class Customer {

        private final String name;
        private final Random chance;
        private final List<UUID> mine = new ArrayList<>();

        private Customer(String name, Random chance) {
            this.name = name;
            this.chance = chance;
        }

        private void request() {
            long amount = chance.nextInt(20) == 0 ? 0 : 1 + chance.nextInt(10_000);
            try {
                if (mine.isEmpty() || chance.nextInt(5) < 2) {
                    place(amount);
                } else {
                    change(mine.get(chance.nextInt(mine.size())), amount);
                }
            } catch (IOException e) {
                unanswered.incrementAndGet();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void place(long amount) throws IOException, InterruptedException {
            String order = "{\"customer\": \"%s\", \"amount\": %d}".formatted(name, amount);
            HttpResponse<Void> answer = send(request(orders).POST(BodyPublishers.ofString(order)));
            if (answer.statusCode() == 201) {
                String location = answer.headers().firstValue("Location").orElseThrow();
                remember(UUID.fromString(location.substring(location.lastIndexOf('/') + 1)), amount);
                placed.incrementAndGet();
            } else {
                countOther(answer);
            }
        }

        private void remember(UUID order, long amount) {
            acknowledge(order, amount);
            mine.add(order);
            if (mine.size() > ORDERS_IN_MIND) {
                mine.remove(0);
            }
        }

        private void change(UUID order, long amount) throws IOException, InterruptedException {
            URI address = URI.create(orders + "/" + order);
            HttpResponse<Void> answer =
                    send(request(address).PUT(BodyPublishers.ofString("{\"amount\": %d}".formatted(amount))));
            if (answer.statusCode() == 204) {
                acknowledge(order, amount);
                changed.incrementAndGet();
            } else {
                countOther(answer);
            }
        }

        private void acknowledge(UUID order, long amount) {
            acknowledged.computeIfAbsent(order, first -> new ArrayList<>()).add(amount);
        }

        private void countOther(HttpResponse<Void> answer) {
            (answer.statusCode() == 422 ? refused : unanswered).incrementAndGet();
        }

        private HttpRequest.Builder request(URI address) {
            return HttpRequest.newBuilder(address).timeout(PATIENCE).header("Content-Type", "application/json");
        }

        private HttpResponse<Void> send(HttpRequest.Builder request) throws IOException, InterruptedException {
            return http.send(request.build(), BodyHandlers.discarding());
        }
    }
}
