package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** A real HTTP server that remembers what it got and answers as it is told. */
final class TestReceiver implements AutoCloseable {

    /** Enough for a burst of callers: one that finds the queue full waits a second. */
    private static final int BACKLOG = 1_000;

    /** A request as it came; header names in lower case. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
    record Got(String method, String path, Map<String, String> headers, byte[] body, int port) {

        String header(String name) {
            return headers.get(name);
        }

        String text() {
            return new String(body, UTF_8);
        }
    }

    record Says(int status, Map<String, String> headers, String body) {

        static Says status(int status) {
            return new Says(status, Map.of(), "");
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Got> got = new CopyOnWriteArrayList<>();
    private volatile Function<Got, Says> answering = request -> Says.status(204);

    private TestReceiver(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    static TestReceiver start() {
        return start(0);
    }

    static TestReceiver start(int port) {
        try {
            return new TestReceiver(HttpServer.create(address(port), BACKLOG));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Over TLS; with client certificates if asked for. */
    static TestReceiver start(SSLContext context, boolean needsClientCertificate) {
        try {
            HttpsServer server = HttpsServer.create(address(0), BACKLOG);
            server.setHttpsConfigurator(new HttpsConfigurator(context) {
                @Override
                public void configure(HttpsParameters parameters) {
                    SSLParameters ssl = context.getDefaultSSLParameters();
                    ssl.setNeedClientAuth(needsClientCertificate);
                    parameters.setSSLParameters(ssl);
                }
            });
            return new TestReceiver(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url() {
        return (server instanceof HttpsServer ? "https" : "http") + "://127.0.0.1:" + port() + "/hook";
    }

    TestReceiver answering(Function<Got, Says> answering) {
        this.answering = answering;
        return this;
    }

    List<Got> got() {
        return List.copyOf(got);
    }

    private void handle(HttpExchange exchange) throws IOException {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, String.join(", ", values)));
        Got request = new Got(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                headers,
                exchange.getRequestBody().readAllBytes(),
                exchange.getRemoteAddress().getPort());
        got.add(request);
        Says says = answering.apply(request);
        says.headers().forEach(exchange.getResponseHeaders()::set);
        byte[] body = says.body().getBytes(UTF_8);
        exchange.sendResponseHeaders(says.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
