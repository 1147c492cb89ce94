package dev.posthorn.server.guard;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.posthorn.testkit.Listener;
import dev.posthorn.testkit.Request;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers the first request of a connection, acts on the second as well, and hangs up without a word. */
final class FickleTarget implements AutoCloseable {

    private final List<String> acted = new CopyOnWriteArrayList<>();
    private final Listener listener = Listener.start(this::serve);

    private void serve(Socket socket) throws IOException {
        act(socket);
        socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1));
        act(socket);
    }

    private void act(Socket socket) throws IOException {
        Request request = Request.read(socket.getInputStream(), socket);
        if (request != null) {
            acted.add(request.id());
        }
    }

    String url() {
        return "http://127.0.0.1:" + listener.port() + "/book";
    }

    List<String> acted() {
        return List.copyOf(acted);
    }

    @Override
    public void close() {
        listener.close();
    }
}
