package dev.posthorn.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.UUID;

/** Takes whatever a {@link SocketSink} sends. */
final class LineConversation implements Listener.Conversation {

    private final Receiver receiver;

    LineConversation(Receiver receiver) {
        this.receiver = receiver;
    }

    @Override
    public void with(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        String speaker = in.readLine();
        if (speaker == null) {
            return;
        }
        String instance = speaker.substring(0, speaker.indexOf(' '));
        String subscription = speaker.substring(speaker.indexOf(' ') + 1);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String id = line.substring(0, 36);
            Change change = Change.of(UUID.fromString(id), line.substring(37).getBytes(UTF_8));
            receiver.arrived(
                    new Arrival(instance, subscription, change, Treatment.TAKEN),
                    () -> socket.getOutputStream().write((id + "\n").getBytes(UTF_8)));
        }
    }
}
