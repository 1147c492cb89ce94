package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an event says, in 16 bytes: two events with the same id and the same digest are one event that was sent twice. The
 * trace context is left out, because a client that tries again does so in another span. Not thread-safe.
 */
public final class Digest {

    private static final int LENGTH = 16;
    private static final Set<String> LEFT_OUT = Set.of("traceparent", "tracestate");

    private final MessageDigest sha256 = sha256();
    private final StringBuilder fields = new StringBuilder();

    public byte[] of(Event event) {
        fields.setLength(0);
        add(event.source());
        add(event.type());
        add(event.version());
        add(event.aggregateType());
        add(event.key());
        add(event.contentType());
        add(event.occurredAt());
        add(event.deliverAt());
        if (!event.headers().isEmpty()) {
            new TreeMap<>(event.headers()).forEach(this::addHeader);
        }
        // All texts in one update, ended by the full stop: many small updates take longer.
        sha256.update(fields.append('.').toString().getBytes(UTF_8));
        return Arrays.copyOf(sha256.digest(event.payload()), LENGTH);
    }

    private void addHeader(String name, String value) {
        if (!LEFT_OUT.contains(name)) {
            add(name);
            add(value);
        }
    }

    /** With its length, so that no two fields run into each other. */
    private void add(@Nullable String text) {
        if (text == null) {
            fields.append('~');
        } else {
            fields.append(text.length()).append(':').append(text);
        }
    }

    private void add(@Nullable Instant time) {
        if (time == null) {
            fields.append('~');
        } else {
            add(time.getEpochSecond());
            add(time.getNano());
        }
    }

    private void add(long number) {
        fields.append(number).append(',');
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
