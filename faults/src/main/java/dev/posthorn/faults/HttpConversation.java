package dev.posthorn.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.SplittableRandom;

/**
 * An HTTP/1.1 server that keeps its connections, takes most events and treats the others badly. Written out, because one
 * that is ready-made would hardly break a connection at the wrong moment.
 */
final class HttpConversation implements Listener.Conversation {

    /** Says who sends. */
    static final String INSTANCE = "x-instance";

    private final Receiver receiver;
    private final Tally tally;
    private final SplittableRandom random;

    HttpConversation(Receiver receiver, long seed, Tally tally) {
        this.receiver = receiver;
        this.tally = tally;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public void with(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
        for (HttpRequest request = HttpRequest.read(in); request != null; request = HttpRequest.read(in)) {
            String instance = request.header(INSTANCE);
            Change change = request.change();
            Treatment treatment = draw();
            tally.count("http " + treatment);
            receiver.arrived(
                    new Arrival(instance, RelayProcess.HTTP, change, treatment), () -> answer(socket, treatment));
        }
    }

    private Treatment draw() {
        synchronized (random) {
            return Treatment.any(random);
        }
    }

    private static void answer(Socket socket, Treatment treatment) throws IOException {
        String response = treatment.response();
        if (response != null) {
            String length = treatment.takes() ? "" : "Content-Length: 0\r\n";
            socket.getOutputStream().write(("HTTP/1.1 " + response + "\r\n" + length + "\r\n").getBytes(ISO_8859_1));
        } else if (treatment.closes()) {
            socket.close();
        }
    }
}
