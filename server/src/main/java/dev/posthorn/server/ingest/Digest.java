package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an event says, in 16 bytes: two events with the same id and the same digest are one event that was sent twice. The
 * trace context is left out, because a client that tries again does so in another span.
 */
final class Digest {

    private static final int LENGTH = 16;
    private static final Set<String> LEFT_OUT = Set.of("traceparent", "tracestate");

    private final MessageDigest sha256 = sha256();

    private Digest() {}

    static byte[] of(Event event) {
        Digest digest = new Digest();
        digest.add(event.source());
        digest.add(event.type());
        digest.add(Integer.toString(event.version()));
        digest.add(event.aggregateType());
        digest.add(event.key());
        digest.add(event.contentType());
        digest.add(String.valueOf(event.occurredAt()));
        digest.add(String.valueOf(event.deliverAt()));
        new TreeMap<>(event.headers()).forEach(digest::addHeader);
        digest.add(event.payload());
        return Arrays.copyOf(digest.sha256.digest(), LENGTH);
    }

    private void addHeader(String name, String value) {
        if (!LEFT_OUT.contains(name)) {
            add(name);
            add(value);
        }
    }

    private void add(@Nullable String text) {
        if (text == null) {
            sha256.update((byte) 0);
        } else {
            sha256.update((byte) 1);
            add(text.getBytes(UTF_8));
        }
    }

    /** With its length, so that no two fields run into each other. */
    private void add(byte[] bytes) {
        sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        sha256.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
