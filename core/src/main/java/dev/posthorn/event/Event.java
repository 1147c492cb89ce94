package dev.posthorn.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened, as an application records it. The payload is opaque bytes with a content type: nothing
 * between here and the consumer parses it, so no class, rename or bad byte can stop the delivery of others.
 *
 * <p>A payload array is not copied, neither in nor out: do not change it.
 */
public final class Event {

    public static final String JSON = "application/json";
    private static final String BYTES = "application/octet-stream";

    private final UUID id;
    private final @Nullable String sourceId;
    private final String source;
    private final String type;
    private final int version;
    private final @Nullable String aggregateType;
    private final @Nullable String key;
    private final String contentType;
    private final byte[] payload;
    private final Map<String, String> headers;
    private final @Nullable Instant occurredAt;
    private final @Nullable Instant deliverAt;

    /** Takes the fields as they are: the log's rows were checked when they were recorded. */
    @SuppressWarnings("TooManyParameters")
    public Event(
            UUID id,
            @Nullable String sourceId,
            String source,
            String type,
            int version,
            @Nullable String aggregateType,
            @Nullable String key,
            String contentType,
            byte[] payload,
            Map<String, String> headers,
            @Nullable Instant occurredAt,
            @Nullable Instant deliverAt) {
        this.id = id;
        this.sourceId = sourceId;
        this.source = source;
        this.type = type;
        this.version = version;
        this.aggregateType = aggregateType;
        this.key = key;
        this.contentType = contentType;
        this.payload = payload;
        this.headers = headers;
        this.occurredAt = occurredAt;
        this.deliverAt = deliverAt;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Unique per source, the same on every delivery. */
    public UUID id() {
        return id;
    }

    /** The id as the source gave it, if that is not how {@link #id()} is written. */
    public @Nullable String sourceId() {
        return sourceId;
    }

    /** The id as the source gave it, whatever that was: the one that CloudEvents knows it by. */
    public String givenId() {
        return sourceId == null ? id.toString() : sourceId;
    }

    /**
     * The same event under a UUID that no other source can have used: it is made of the source and of the one that it had.
     * For whoever has taken an event of another source with the same one.
     */
    public Event underItsSource() {
        return with(EventIds.named(source, id.toString()), givenId(), headers);
    }

    private Event with(UUID otherId, @Nullable String otherSourceId, Map<String, String> otherHeaders) {
        return new Event(
                otherId,
                otherSourceId,
                source,
                type,
                version,
                aggregateType,
                key,
                contentType,
                payload,
                otherHeaders,
                occurredAt,
                deliverAt);
    }

    /** The service that recorded it. */
    public String source() {
        return source;
    }

    public String type() {
        return type;
    }

    /** Version of the type's content, from 1. */
    public int version() {
        return version;
    }

    public @Nullable String aggregateType() {
        return aggregateType;
    }

    /** The ordering key, normally the aggregate's id; null means unordered. */
    public @Nullable String key() {
        return key;
    }

    public String contentType() {
        return contentType;
    }

    public byte[] payload() {
        return payload;
    }

    /** Free headers, trace context among them. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The same event with these headers, as they are, and no others. */
    public Event withHeaders(Map<String, String> headers) {
        return with(id, sourceId, Map.copyOf(headers));
    }

    /** When it happened; null until recorded means "when it is recorded, by the database's clock". */
    public @Nullable Instant occurredAt() {
        return occurredAt;
    }

    /** Not to be delivered before this time; null means at once. */
    public @Nullable Instant deliverAt() {
        return deliverAt;
    }

    @Override
    public String toString() {
        return type + " " + id + (key == null ? "" : " of key " + key);
    }

    /** Collects an event's fields; {@link #build()} checks them all. */
    public static final class Builder {

        private @Nullable UUID id;
        private @Nullable String sourceId;
        private @Nullable String source;
        private @Nullable String type;
        private int version = 1;
        private @Nullable String aggregateType;
        private @Nullable String key;
        private @Nullable String contentType;
        private byte @Nullable [] payload;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable Instant occurredAt;
        private @Nullable Instant deliverAt;

        private Builder() {}

        /** Left out, the event gets a new UUIDv7. */
        public Builder id(UUID id) {
            this.id = Objects.requireNonNull(id, "id");
            this.sourceId = null;
            return this;
        }

        /**
         * An id of the source's own making: a UUID is taken as it is, anything else becomes the source id. So does a
         * name-based UUID: as it is, one source could use up those that are made of the ids of another.
         */
        public Builder id(String id) {
            UUID uuid = EventIds.uuid(id);
            this.id = uuid == null || EventIds.isNamed(uuid) ? null : uuid;
            boolean written = this.id != null && this.id.toString().equals(id);
            this.sourceId = written ? null : FieldRules.text("id", id, FieldRules.MAX_NAME);
            return this;
        }

        public Builder source(String source) {
            this.source = source;
            return this;
        }

        public Builder type(String type) {
            this.type = type;
            return this;
        }

        public Builder version(int version) {
            this.version = version;
            return this;
        }

        public Builder aggregateType(@Nullable String aggregateType) {
            this.aggregateType = aggregateType;
            return this;
        }

        public Builder key(@Nullable String key) {
            this.key = key;
            return this;
        }

        public Builder contentType(String contentType) {
            this.contentType = contentType;
            return this;
        }

        public Builder payload(byte[] payload) {
            this.payload = payload;
            return this;
        }

        /** JSON text as the payload, with its content type. */
        public Builder json(String json) {
            return payload(json.getBytes(UTF_8)).contentType(JSON);
        }

        public Builder header(String name, String value) {
            headers.put(Objects.requireNonNull(name, "header name"), Objects.requireNonNull(value, "header value"));
            return this;
        }

        public Builder headers(Map<String, String> headers) {
            headers.forEach(this::header);
            return this;
        }

        /** The W3C trace context of the current work, so that one trace runs from the commit to the handler. */
        public Builder traceparent(String traceparent) {
            return header("traceparent", traceparent);
        }

        /** Cut to microseconds, which is what the log keeps. */
        public Builder occurredAt(Instant occurredAt) {
            this.occurredAt = occurredAt;
            return this;
        }

        /** Not to be delivered before; cut to microseconds too. */
        public Builder deliverAt(@Nullable Instant deliverAt) {
            this.deliverAt = deliverAt;
            return this;
        }

        /** Checks every field; how large the event may be is checked by the outbox that records it. */
        public Event build() {
            String checkedSource = FieldRules.name("source", source);
            return new Event(
                    idFor(checkedSource),
                    sourceId,
                    checkedSource,
                    FieldRules.name("type", type),
                    FieldRules.version(version),
                    aggregateType == null ? null : FieldRules.optionalName("aggregateType", aggregateType),
                    key == null ? null : FieldRules.key(key),
                    contentType == null ? BYTES : FieldRules.contentType(contentType),
                    FieldRules.payload(payload),
                    FieldRules.headers(headers),
                    FieldRules.time("occurredAt", occurredAt),
                    FieldRules.time("deliverAt", deliverAt));
        }

        /**
         * Every rule by which {@link #build()} refuses it, or else that of the limits, each beginning with the field's name:
         * for those who tell all of them at once.
         */
        public List<String> faults(EventLimits limits) {
            FieldFaults faults = new FieldFaults();
            faults.check(() -> FieldRules.name("source", source));
            faults.check(() -> FieldRules.name("type", type));
            faults.check(() -> FieldRules.version(version));
            faults.check(() -> aggregateType == null ? "" : FieldRules.optionalName("aggregateType", aggregateType));
            faults.check(() -> key == null ? "" : FieldRules.key(key));
            faults.check(() -> contentType == null ? "" : FieldRules.contentType(contentType));
            faults.check(() -> FieldRules.payload(payload));
            headers.forEach((name, value) -> faults.check(() -> FieldRules.headers(Map.of(name, value))));
            faults.check(() -> FieldRules.time("occurredAt", occurredAt));
            faults.check(() -> FieldRules.time("deliverAt", deliverAt));
            if (faults.found().isEmpty()) {
                faults.check(() -> limits.checked(build()));
            }
            return faults.found();
        }

        private UUID idFor(String checkedSource) {
            if (id != null) {
                return id;
            }
            return sourceId == null ? EventIds.next() : EventIds.named(checkedSource, sourceId);
        }
    }
}
