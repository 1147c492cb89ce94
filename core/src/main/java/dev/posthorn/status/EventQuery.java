package dev.posthorn.status;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which events to look at: those that meet every field that is given. */
public final class EventQuery {

    public static final int MAX_PAGE_SIZE = 1_000;

    private static final int MAX_TEXT = 1_024;
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant TOO_LATE = Instant.parse("+10000-01-01T00:00:00Z");

    private final Map<String, String> conditions;
    private final Map<String, Object> values;
    private final @Nullable String subscription;
    private final @Nullable Status status;
    private final int pageSize;
    private final long before;

    private EventQuery(Builder builder) {
        this.conditions = Map.copyOf(builder.conditions);
        this.values = Map.copyOf(builder.values);
        this.subscription = builder.subscription;
        this.status = builder.status;
        this.pageSize = builder.pageSize;
        this.before = builder.before;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The condition in SQL on an event's own fields, with its values from {@link #values}. */
    String condition() {
        return conditions.isEmpty() ? "true" : String.join(" AND ", conditions.values());
    }

    Map<String, Object> values() {
        return values;
    }

    @Nullable
    Instant from() {
        return (Instant) values.get("since");
    }

    @Nullable
    Instant to() {
        return (Instant) values.get("until");
    }

    @Nullable
    String subscription() {
        return subscription;
    }

    @Nullable
    Status status() {
        return status;
    }

    /** Whether an event's fields do not tell all: what has become of it has to be looked up. */
    boolean asksForStatus() {
        return subscription != null || status != null;
    }

    boolean accepts(SubscriptionStatus found) {
        return (subscription == null || subscription.equals(found.subscription()))
                && (status == null || status == found.status());
    }

    int pageSize() {
        return pageSize;
    }

    long before() {
        return before;
    }

    /** Collects the fields; each is checked as it is given. */
    public static final class Builder {

        private final Map<String, String> conditions = new HashMap<>();
        private final Map<String, Object> values = new HashMap<>();
        private @Nullable String subscription;
        private @Nullable Status status;
        private int pageSize = 100;
        private long before = Long.MAX_VALUE;

        private Builder() {}

        /** A pattern, in which {@code *} stands for any number of characters. */
        public Builder type(String pattern) {
            return where("type", "type LIKE :type", likePattern(text("type", pattern)));
        }

        /** A pattern, in which {@code *} stands for any number of characters. */
        public Builder source(String pattern) {
            return where("source", "source LIKE :source", likePattern(text("source", pattern)));
        }

        public Builder key(String key) {
            return where("key", "key = :key", text("key", key));
        }

        /** Those that this subscription wants; the status is then about it alone. */
        public Builder subscription(String name) {
            this.subscription = text("subscription", name);
            return this;
        }

        /** Of the subscription that is given, or else of any. */
        public Builder status(Status status) {
            this.status = Objects.requireNonNull(status, "status");
            return this;
        }

        /** Recorded at or after this time. */
        public Builder from(Instant from) {
            return where("since", "created_at >= :since", time("from", from));
        }

        /** Recorded before this time. */
        public Builder to(Instant to) {
            return where("until", "created_at < :until", time("to", to));
        }

        /** 100 unless told otherwise. */
        public Builder pageSize(int pageSize) {
            if (pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
                throw refuse("limit is " + pageSize + "; it must be from 1 to " + MAX_PAGE_SIZE);
            }
            this.pageSize = pageSize;
            return this;
        }

        /** Goes on after the page that gave this as its {@link EventPage#next}. */
        public Builder after(long seq) {
            this.before = seq;
            return this;
        }

        public EventQuery build() {
            if (values.get("since") instanceof Instant from
                    && values.get("until") instanceof Instant to
                    && !from.isBefore(to)) {
                throw refuse("from is " + from + " and to is " + to + "; from must be before to");
            }
            return new EventQuery(this);
        }

        private Builder where(String name, String condition, Object value) {
            conditions.put(name, condition);
            values.put(name, value);
            return this;
        }
    }

    private static String likePattern(String pattern) {
        return pattern.replace("\\", "\\\\")
                .replace("%", "\\%")
                .replace("_", "\\_")
                .replace("*", "%");
    }

    private static String text(String field, String value) {
        if (value.isEmpty()) {
            throw refuse(field + " is empty; leave it out instead");
        }
        if (value.length() > MAX_TEXT) {
            throw refuse(field + " has " + value.length() + " characters; the limit is " + MAX_TEXT);
        }
        if (value.codePoints().anyMatch(EventQuery::isUnstorable)) {
            throw refuse(field + " holds a NUL or half a surrogate pair, which no event can hold; leave it out");
        }
        return value;
    }

    private static boolean isUnstorable(int codePoint) {
        return codePoint == 0 || (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
    }

    private static Instant time(String field, Instant value) {
        if (value.isBefore(EARLIEST) || !value.isBefore(TOO_LATE)) {
            throw refuse(field + " is " + value + "; it must be in the years 1 to 9999");
        }
        return value;
    }

    private static PosthornException refuse(String message) {
        return new PosthornException(ErrorCode.INVALID_REQUEST, message);
    }
}
