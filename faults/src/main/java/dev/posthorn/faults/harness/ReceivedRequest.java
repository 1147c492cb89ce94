package dev.posthorn.faults.harness;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.posthorn.testkit.Listener;
import dev.posthorn.testkit.Request;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A request with an event, as it came over a connection that is kept. */
public final class ReceivedRequest {

    /** The header that says who sends. */
    static final String INSTANCE = "x-instance";

    private final Request request;
    private final OutputStream out;

    private ReceivedRequest(Request request, OutputStream out) {
        this.request = request;
        this.out = out;
    }

    /** What is done with each. */
    public interface Handler {
        void take(ReceivedRequest request) throws IOException;
    }

    /** Answers are written out, because a server that is ready-made would hardly break a connection at the wrong moment. */
    public static Listener listen(Handler handler) {
        return Listener.start(socket -> readAll(socket, handler));
    }

    /** Until the sender closes the connection. */
    private static void readAll(Socket socket, Handler handler) throws IOException {
        BufferedInputStream in = new BufferedInputStream(socket.getInputStream());
        for (Request next = Request.read(in, socket); next != null; next = Request.read(in, socket)) {
            handler.take(new ReceivedRequest(next, socket.getOutputStream()));
        }
    }

    public String path() {
        return request.path();
    }

    public String instance() {
        return request.required(INSTANCE);
    }

    public @Nullable String headerOrNull(String name) {
        return request.header(name);
    }

    /** Says that the event is taken. */
    public void take() throws IOException {
        answer("204 No Content", "");
    }

    /** Answers with this status and headers, and this text. */
    public void answer(String head, String text) throws IOException {
        out.write(("HTTP/1.1 " + head + "\r\n\r\n" + text).getBytes(ISO_8859_1));
    }

    /** Closes the connection instead of an answer. */
    public void breakOff() throws IOException {
        out.close();
    }

    public Change change() {
        return Change.of(UUID.fromString(request.id()), request.body());
    }
}
