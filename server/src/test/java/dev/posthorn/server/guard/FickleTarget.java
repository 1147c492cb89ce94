package dev.posthorn.server.guard;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers the first request of a connection, acts on the second as well, and hangs up without a word. */
final class FickleTarget implements AutoCloseable {

    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: *(\\d+)");
    private static final Pattern ID = Pattern.compile("(?i)webhook-id: *(\\S+)");

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> acted = new CopyOnWriteArrayList<>();

    FickleTarget() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                threads.execute(() -> serve(socket));
            }
        } catch (IOException closed) {
            // That is how it ends.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            act(socket.getInputStream());
            socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1));
            act(socket.getInputStream());
        } catch (IOException e) {
            // The other side had enough.
        }
    }

    private void act(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no more");
            }
            head.append((char) next);
        }
        Matcher length = LENGTH.matcher(head);
        in.skipNBytes(length.find() ? Long.parseLong(length.group(1)) : 0);
        Matcher id = ID.matcher(head);
        acted.add(id.find() ? id.group(1) : "");
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/book";
    }

    List<String> acted() {
        return List.copyOf(acted);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
