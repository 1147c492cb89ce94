package dev.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * A real HTTP server that remembers what it got and answers as it is told, by default with 204. It sends head and body in
 * one packet: the JDK's own sends two, and whoever waits for the second may acknowledge the first 40 ms late.
 */
public final class Receiver implements AutoCloseable {

    private final Listener listener;
    private final String scheme;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile Answering answering = request -> Answer.status(204);

    /** How it answers. */
    public interface Answering {
        Answer to(Request request) throws IOException, InterruptedException;
    }

    /** What it says. */
    public record Answer(int status, Map<String, String> headers, String body) {

        public static Answer status(int status) {
            return of(status, "");
        }

        public static Answer of(int status, String body) {
            return new Answer(status, Map.of(), body);
        }

        private byte[] bytes() {
            StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " Told\r\n");
            headers.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
            if (status != 204 && status != 304) {
                text.append("Content-Length: " + body.getBytes(UTF_8).length + "\r\n");
            }
            return text.append("\r\n" + body).toString().getBytes(UTF_8);
        }
    }

    private Receiver(int port) {
        listener = Listener.start(port, this::serve);
        scheme = "http";
    }

    private Receiver(SSLContext context, boolean needsClientCertificate) throws IOException {
        SSLServerSocket socket =
                (SSLServerSocket) context.getServerSocketFactory().createServerSocket();
        socket.setNeedClientAuth(needsClientCertificate);
        listener = Listener.start(socket, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this::serve);
        scheme = "https";
    }

    public static Receiver start() {
        return start(0);
    }

    /** On a port that is known already. */
    public static Receiver start(int port) {
        return new Receiver(port);
    }

    /** Over TLS; with client certificates if asked for. */
    public static Receiver start(SSLContext context, boolean needsClientCertificate) {
        try {
            return new Receiver(context, needsClientCertificate);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Socket socket) throws IOException, InterruptedException {
        BufferedInputStream in = new BufferedInputStream(socket.getInputStream());
        for (Request next = Request.read(in, socket); next != null; next = Request.read(in, socket)) {
            requests.add(next);
            socket.getOutputStream().write(answering.to(next).bytes());
        }
    }

    public Receiver answering(Answering other) {
        answering = other;
        return this;
    }

    public Receiver answering(int status, String body) {
        return answering(request -> Answer.of(status, body));
    }

    public int port() {
        return listener.port();
    }

    public String url(String path) {
        return scheme + "://127.0.0.1:" + port() + path;
    }

    public List<Request> requests() {
        return List.copyOf(requests);
    }

    public int count() {
        return requests.size();
    }

    /** The types of the events that came. */
    public List<String> types() {
        return requests.stream().map(Request::type).toList();
    }

    /** The types of the events that came to that path. */
    public List<String> types(String path) {
        return requests.stream()
                .filter(each -> each.path().equals(path))
                .map(Request::type)
                .toList();
    }

    /** Every request whose event came more than once, with what may tell why. */
    public List<Request> repeated() {
        return requests.stream()
                .filter(each -> requests.stream()
                                .filter(other -> each.id().equals(other.id()))
                                .count()
                        > 1)
                .toList();
    }

    @Override
    public void close() {
        listener.close();
    }
}
