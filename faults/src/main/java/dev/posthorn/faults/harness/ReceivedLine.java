package dev.posthorn.faults.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.testkit.Listener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.util.UUID;

/** An event as a {@link SocketSink} sends it. */
public record ReceivedLine(String instance, String subscription, UUID id, String payload, OutputStream out) {

    /** What is done with each. */
    public interface Handler {
        void take(ReceivedLine line) throws IOException;
    }

    public static Listener listen(Handler handler) {
        return Listener.start(socket -> readAll(socket, handler));
    }

    /** Until the sender closes the connection. */
    private static void readAll(Socket socket, Handler handler) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        String speaker = in.readLine();
        if (speaker == null) {
            return;
        }
        String[] names = speaker.split(" ", 2);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            UUID id = UUID.fromString(line.substring(0, SocketSink.ID_LENGTH));
            String payload = line.substring(SocketSink.ID_LENGTH + 1);
            handler.take(new ReceivedLine(names[0], names[1], id, payload, socket.getOutputStream()));
        }
    }

    public Change change() {
        return Change.of(id, payload.getBytes(UTF_8));
    }

    /** Says that the event is taken, by an empty word, or when it should come again. */
    public void answer(String word) throws IOException {
        out.write((id + word + "\n").getBytes(UTF_8));
    }
}
