package dev.posthorn.server.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A system that acts on every request, as often as it comes. */
final class TargetSystem implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> acted = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile int status = 200;
    private volatile boolean silent;

    TargetSystem() {
        this(0);
    }

    /** On a port that is known already. */
    TargetSystem(int port) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::act);
        server.start();
    }

    private void act(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        acted.add(exchange.getRequestHeaders().getFirst("webhook-id"));
        if (silent) {
            await();
            return;
        }
        byte[] answer = ("took it as " + acted.size()).getBytes(UTF_8);
        exchange.sendResponseHeaders(status, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private void await() {
        try {
            closing.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void answers(int other) {
        status = other;
        silent = false;
    }

    /** Takes requests and never answers. */
    void fallsSilent() {
        silent = true;
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port() + "/book";
    }

    /** The ids of the events on which it acted, one for each time. */
    List<String> acted() {
        return List.copyOf(acted);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
