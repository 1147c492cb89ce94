package dev.posthorn.server.subscriptions;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server that remembers what it was sent. */
final class Receiver implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile Answering answering = exchange -> answer(exchange, 200, "ok");

    /** What it was sent. */
    record Request(Instant arrivedAt, String path, String id, String type, HttpExchange exchange, String body) {

        String header(String name) {
            return exchange.getRequestHeaders().getFirst(name);
        }
    }

    /** How it answers. */
    interface Answering {
        void answer(HttpExchange exchange) throws IOException, InterruptedException;
    }

    Receiver() {
        this(0);
    }

    /** On a port that is known already. */
    Receiver(int port) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        requests.add(new Request(
                Instant.now(),
                exchange.getRequestURI().getPath(),
                exchange.getRequestHeaders().getFirst("webhook-id"),
                exchange.getRequestHeaders().getFirst("ce-type"),
                exchange,
                body));
        try {
            answering.answer(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    void answering(Answering other) {
        this.answering = other;
    }

    void answering(int status, String body) {
        answering(exchange -> answer(exchange, status, body));
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    int count() {
        return requests.size();
    }

    List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Every request whose event came more than once, with what may tell why. */
    List<String> repeated() {
        return requests.stream()
                .filter(each -> requests.stream()
                                .filter(other -> each.id().equals(other.id()))
                                .count()
                        > 1)
                .map(each -> each.id() + " at " + each.arrivedAt() + " to " + each.path() + ", attempt "
                        + each.header("posthorn-attempt") + ", from "
                        + each.exchange().getRemoteAddress())
                .toList();
    }

    List<String> types() {
        return requests.stream().map(Request::type).toList();
    }

    List<String> types(String path) {
        return requests.stream()
                .filter(each -> each.path().equals(path))
                .map(Request::type)
                .toList();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
