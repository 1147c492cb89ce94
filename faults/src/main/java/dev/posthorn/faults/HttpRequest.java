package dev.posthorn.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A request with an event, as it came over a connection that is kept. */
public final class HttpRequest {

    private final String path;
    private final Map<String, String> headers;
    private final byte[] body;

    private HttpRequest(String path, Map<String, String> headers, byte[] body) {
        this.path = path;
        this.headers = headers;
        this.body = body;
    }

    /** The next one; null at the end. */
    public static @Nullable HttpRequest read(BufferedReader in) throws IOException {
        String line = in.readLine();
        if (line == null) {
            return null;
        }
        Map<String, String> headers = headers(in);
        byte[] body = body(in, Integer.parseInt(header(headers, "content-length")));
        return new HttpRequest(line.split(" ", -1)[1], headers, body);
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

    public String path() {
        return path;
    }

    public String header(String name) {
        return header(headers, name);
    }

    public @Nullable String headerOrNull(String name) {
        return headers.get(name);
    }

    public Change change() {
        return Change.of(UUID.fromString(header("webhook-id")), body);
    }
}
