package dev.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that was found genuine. Its id, its time and its body are what was signed; all other headers, {@code ce-…}
 * among them, are as trustworthy as the way that they came.
 */
public final class Webhook {

    private final String id;
    private final UUID eventId;
    private final Instant sentAt;
    private final Function<String, @Nullable String> headers;
    private final byte[] body;

    Webhook(String id, UUID eventId, Instant sentAt, Function<String, @Nullable String> headers, byte[] body) {
        this.id = id;
        this.eventId = eventId;
        this.sentAt = sentAt;
        this.headers = headers;
        this.body = body;
    }

    /** As the sender wrote it: {@code webhook-id}. */
    public String id() {
        return id;
    }

    /** What the inbox knows it by: the id if that is a UUID and the receiver has no source, otherwise one made of it. */
    public UUID eventId() {
        return eventId;
    }

    /** When this attempt was made: {@code webhook-timestamp}. */
    public Instant sentAt() {
        return sentAt;
    }

    /** Not copied: do not change it. */
    public byte[] body() {
        return body;
    }

    /** The body as UTF-8. */
    public String text() {
        return new String(body, UTF_8);
    }

    /** {@code ce-type}; null unless the sender uses CloudEvents' binary form. So are the others. */
    public @Nullable String type() {
        return attribute("type");
    }

    public @Nullable String source() {
        return attribute("source");
    }

    /** The event's key: {@code ce-partitionkey}, or else {@code ce-subject}. */
    public @Nullable String key() {
        String key = attribute("partitionkey");
        return key == null ? attribute("subject") : key;
    }

    /** Another attribute of CloudEvents, such as {@code aggregatetype} or {@code time}, decoded. */
    public @Nullable String attribute(String name) {
        String value = headers.apply("ce-" + name);
        return value == null ? null : decoded(value);
    }

    public @Nullable String contentType() {
        return headers.apply("content-type");
    }

    /** With {@code tracestate}: the trace that the event belongs to, by W3C's Trace Context. */
    public @Nullable String traceparent() {
        return headers.apply("traceparent");
    }

    public @Nullable String tracestate() {
        return headers.apply("tracestate");
    }

    /** Any header of the request, in whatever case. */
    public @Nullable String header(String name) {
        return headers.apply(Objects.requireNonNull(name, "name"));
    }

    /** A plus is a plus here, unlike in forms. What was not encoded properly is left as it is. */
    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), UTF_8);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }

    @Override
    public String toString() {
        return "webhook " + id + " with " + body.length + " bytes";
    }
}
