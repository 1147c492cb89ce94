package dev.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request of HTTP/1.1 as it came.
 *
 * @param headers by their names in lower case; of several values of a name, all
 * @param port of the other side
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
public record Request(Instant arrivedAt, String method, URI uri, Map<String, String> headers, byte[] body, int port) {

    /** The next one on that connection, or null if the other side has ended. Read without a buffer of its own. */
    public static @Nullable Request read(InputStream in, Socket socket) throws IOException {
        String first = line(in);
        if (first == null) {
            return null;
        }
        String[] parts = first.split(" ", -1);
        Map<String, String> headers = headers(in);
        if (headers.containsKey("transfer-encoding")) {
            throw new IllegalStateException("nobody reads chunks here: " + headers);
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("ended within the body");
        }
        return new Request(Instant.now(), parts[0], URI.create(parts[1]), headers, body, socket.getPort());
    }

    private static Map<String, String> headers(InputStream in) throws IOException {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(in); !"".equals(line); line = line(in)) {
            if (line == null) {
                throw new EOFException("ended within the headers");
            }
            int colon = line.indexOf(':');
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            headers.merge(name, line.substring(colon + 1).strip(), (one, other) -> one + ", " + other);
        }
        return headers;
    }

    private static @Nullable String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return null;
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    public String path() {
        return uri.getPath();
    }

    public @Nullable String header(String name) {
        return headers.get(name);
    }

    public String text() {
        return new String(body, UTF_8);
    }

    /** Of the event that it brings. */
    public String id() {
        return required("webhook-id");
    }

    /** Of the event that it brings. */
    public String type() {
        return required("ce-type");
    }

    /** A header without which it makes no sense. */
    public String required(String name) {
        return Objects.requireNonNull(headers.get(name), () -> "no header " + name + " in " + headers);
    }

    @Override
    public String toString() {
        return method + " " + uri + " at " + arrivedAt + " from " + port + " with " + headers;
    }
}
