package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A token endpoint at {@code /token}: gives token-1, token-2 and so on, unless told otherwise. */
final class TokenServer implements AutoCloseable {

    /** What somebody asked for. */
    record Asked(URI url, String authorization, String contentType, Map<String, String> form) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final AtomicInteger tokens = new AtomicInteger();
    private volatile int status = 200;
    private volatile String body = "";
    private volatile CountDownLatch gate = new CountDownLatch(0);

    TokenServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/token", this::handle);
        server.setExecutor(threads);
        givesTokens(3600);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/token";
    }

    /** From now on, with an {@code %d} where the number of the answer goes. */
    void answers(int status, String body) {
        this.status = status;
        this.body = body;
    }

    void givesTokens(int expiresIn) {
        answers(200, "{\"access_token\":\"token-%d\",\"token_type\":\"Bearer\",\"expires_in\":" + expiresIn + "}");
    }

    /** Keeps answers back until the gate is opened. */
    CountDownLatch holds() {
        gate = new CountDownLatch(1);
        return gate;
    }

    List<Asked> asked() {
        return asked;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String form = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            asked.add(new Asked(
                    exchange.getRequestURI(),
                    exchange.getRequestHeaders().getFirst("Authorization"),
                    exchange.getRequestHeaders().getFirst("Content-Type"),
                    fields(form)));
            gate.await();
            byte[] answer = body.replace("%d", Integer.toString(tokens.incrementAndGet()))
                    .getBytes(UTF_8);
            exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, String> fields(String form) {
        Map<String, String> fields = new TreeMap<>();
        for (String each : form.split("&", -1)) {
            String[] parts = each.split("=", 2);
            fields.put(URLDecoder.decode(parts[0], UTF_8), URLDecoder.decode(parts[1], UTF_8));
        }
        return fields;
    }

    @Override
    public void close() {
        gate.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
