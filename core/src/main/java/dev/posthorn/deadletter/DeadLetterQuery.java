package dev.posthorn.deadletter;

import dev.posthorn.error.Requests;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Which dead letters to look at: those that meet every field that is given. */
public final class DeadLetterQuery {

    public static final int MAX_PAGE_SIZE = 1_000;
    private static final int MAX_KEY = 1_024;

    /** Open letters, all subscriptions, a hundred at a time. */
    public static final DeadLetterQuery OPEN = builder().build();

    /** Whether to look at letters that somebody discarded. */
    public enum State {
        OPEN("l.discarded_at IS NULL"),
        DISCARDED("l.discarded_at IS NOT NULL"),
        ANY("true");

        private final String condition;

        State(String condition) {
            this.condition = condition;
        }
    }

    private final List<String> conditions;
    private final Map<String, Object> values;
    private final int pageSize;
    private final @Nullable Position after;

    private DeadLetterQuery(Builder builder) {
        List<String> all = new ArrayList<>(builder.conditions.values());
        all.add(builder.state.condition);
        conditions = List.copyOf(all);
        values = Map.copyOf(builder.values);
        pageSize = builder.pageSize;
        after = builder.after;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The condition in SQL on letters {@code l} and subscriptions {@code s}, with its values from {@link #values}. */
    String condition() {
        return String.join(" AND ", conditions);
    }

    Map<String, Object> values() {
        return values;
    }

    int pageSize() {
        return pageSize;
    }

    @Nullable
    Position after() {
        return after;
    }

    /** Collects the fields; each is checked as it is given. */
    public static final class Builder {

        private final Map<String, String> conditions = new HashMap<>();
        private final Map<String, Object> values = new HashMap<>();
        private State state = State.OPEN;
        private int pageSize = 100;
        private @Nullable Position after;

        private Builder() {}

        /** The dead letter's own id. */
        public Builder id(long id) {
            return where("id", "l.id = :id", id);
        }

        public Builder eventId(UUID eventId) {
            return where("event_id", "l.event_id = :event_id", Objects.requireNonNull(eventId, "eventId"));
        }

        public Builder subscription(String name) {
            return where(
                    "subscription",
                    "l.subscription_id = (SELECT id FROM posthorn.subscription WHERE name = :subscription)",
                    Requests.text("subscription", name, Requests.MAX_NAME));
        }

        /** Its message holds this text, in whatever case. */
        public Builder errorText(String text) {
            String literally = Requests.text("errorText", text, Requests.MAX_TEXT)
                    .replace("\\", "\\\\")
                    .replace("%", "\\%")
                    .replace("_", "\\_");
            return where("error_text", "l.error_message ILIKE :error_text", "%" + literally + "%");
        }

        public Builder errorClass(String errorClass) {
            return where(
                    "error_class",
                    "l.error_class = :error_class",
                    Requests.text("errorClass", errorClass, Requests.MAX_TEXT));
        }

        /** As {@link DeadLetterGroup#cause} has it. */
        public Builder cause(String cause) {
            return where("cause", "l.cause = :cause", Requests.text("cause", cause, Requests.MAX_TEXT));
        }

        public Builder type(String type) {
            return where("type", "l.type = :type", Requests.text("type", type, Requests.MAX_NAME));
        }

        public Builder key(String key) {
            return where("key", "l.key = :key", Requests.text("key", key, MAX_KEY));
        }

        public Builder source(String source) {
            return where("source", "l.source = :source", Requests.text("source", source, Requests.MAX_NAME));
        }

        /** Last failed at or after this time. */
        public Builder from(Instant from) {
            return where("since", "l.last_failed_at >= :since", Requests.time("from", from));
        }

        /** Last failed before this time. */
        public Builder to(Instant to) {
            return where("until", "l.last_failed_at < :until", Requests.time("to", to));
        }

        public Builder attemptsAtLeast(int attempts) {
            return where(
                    "attempts",
                    "l.attempts >= :attempts",
                    Requests.between("attemptsAtLeast", attempts, 0, Integer.MAX_VALUE));
        }

        /** Open ones unless told otherwise. */
        public Builder state(State state) {
            this.state = Objects.requireNonNull(state, "state");
            return this;
        }

        /** 100 unless told otherwise. */
        public Builder pageSize(int pageSize) {
            this.pageSize = Requests.between("pageSize", pageSize, 1, MAX_PAGE_SIZE);
            return this;
        }

        /** Goes on after the page that gave this cursor; null begins with the newest. */
        public Builder cursor(@Nullable String cursor) {
            this.after = cursor == null ? null : Position.parse(cursor);
            return this;
        }

        public DeadLetterQuery build() {
            if (values.get("since") instanceof Instant from
                    && values.get("until") instanceof Instant to
                    && !from.isBefore(to)) {
                throw Requests.refuse("from is " + from + " and to is " + to + "; from must be before to");
            }
            return new DeadLetterQuery(this);
        }

        private Builder where(String name, String condition, Object value) {
            conditions.put(name, condition);
            values.put(name, value);
            return this;
        }
    }
}
