package dev.posthorn.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

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
        while (in.readLine() != null) {
            Map<String, String> headers = headers(in);
            UUID id = UUID.fromString(header(headers, "webhook-id"));
            Change change = Change.of(id, body(in, Integer.parseInt(header(headers, "content-length"))));
            Treatment treatment = draw();
            tally.count("http " + treatment);
            receiver.arrived(
                    new Arrival(header(headers, INSTANCE), RelayProcess.HTTP, change, treatment),
                    () -> answer(socket, treatment));
        }
    }

    private static Map<String, String> headers(BufferedReader in) throws IOException {
        Map<String, String> headers = new TreeMap<>();
        for (String line = in.readLine(); !"".equals(line); line = in.readLine()) {
            if (line == null) {
                throw new EOFException("killed within the headers");
            }
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private static String header(Map<String, String> headers, String name) {
        @Nullable String value = headers.get(name);
        if (value == null) {
            throw new IllegalStateException("no header " + name + " in " + headers);
        }
        return value;
    }

    private static byte[] body(BufferedReader in, int length) throws IOException {
        char[] body = new char[length];
        for (int had = 0; had < length; ) {
            int got = in.read(body, had, length - had);
            if (got < 0) {
                throw new EOFException("killed within the body");
            }
            had += got;
        }
        return new String(body).getBytes(ISO_8859_1);
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
