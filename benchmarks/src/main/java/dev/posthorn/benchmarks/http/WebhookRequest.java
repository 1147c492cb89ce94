package dev.posthorn.benchmarks.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A request as a client of ours writes it: a head without surprises and a body with Content-Length. */
public final class WebhookRequest {

    private static final byte[] LENGTH = "\ncontent-length:".getBytes(US_ASCII);

    private final String path;
    private final byte[] body;

    private WebhookRequest(String path, byte[] body) {
        this.path = path;
        this.body = body;
    }

    public String path() {
        return path;
    }

    public byte[] body() {
        return body;
    }

    /** Takes the first request out of the buffer; null if it is not complete yet. */
    static @Nullable WebhookRequest read(ByteBuffer received) {
        int length = 0;
        for (int i = received.position(); i + 3 < received.limit(); i++) {
            if (isLength(received, i)) {
                length = number(received, i + LENGTH.length);
            } else if (isEndOfHead(received, i)) {
                return i + 4 + length <= received.limit() ? take(received, i + 4, length) : null;
            }
        }
        return null;
    }

    private static boolean isLength(ByteBuffer received, int at) {
        if (received.get(at) != LENGTH[0] || at + LENGTH.length >= received.limit()) {
            return false;
        }
        for (int i = 1; i < LENGTH.length; i++) {
            if (Character.toLowerCase(received.get(at + i)) != LENGTH[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEndOfHead(ByteBuffer received, int at) {
        return received.get(at) == '\r'
                && received.get(at + 1) == '\n'
                && received.get(at + 2) == '\r'
                && received.get(at + 3) == '\n';
    }

    private static int number(ByteBuffer received, int at) {
        int number = 0;
        for (int i = at; i < received.limit() && received.get(i) != '\r'; i++) {
            number = received.get(i) == ' ' ? number : 10 * number + received.get(i) - '0';
        }
        return number;
    }

    private static WebhookRequest take(ByteBuffer received, int bodyStart, int length) {
        int from = blank(received, received.position()) + 1;
        byte[] path = new byte[blank(received, from) - from];
        received.get(from, path);
        byte[] body = new byte[length];
        received.position(bodyStart).get(body);
        return new WebhookRequest(new String(path, US_ASCII), body);
    }

    private static int blank(ByteBuffer received, int from) {
        int at = from;
        while (received.get(at) != ' ') {
            at++;
        }
        return at;
    }
}
