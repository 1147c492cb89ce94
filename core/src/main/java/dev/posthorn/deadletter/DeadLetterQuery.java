package dev.posthorn.deadletter;

import dev.posthorn.error.Requests;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which dead letters to look at: those that meet every field that is given. */
public final class DeadLetterQuery {

    public static final int MAX_PAGE_SIZE = 1_000;

    /** How many letters can be asked for by their ids. */
    public static final int MAX_IDS = 10_000;

    private static final int MAX_DESCRIBED = 1_000;
    private static final int MAX_KEY = 1_024;

    /** Open letters, all subscriptions, a hundred at a time. */
    public static final DeadLetterQuery OPEN = builder().build();

    /** Whether to look at letters that somebody discarded. One that was purged is seen by nobody. */
    public enum State {
        OPEN("l.discarded_at IS NULL"),
        DISCARDED("l.discarded_at IS NOT NULL AND l.purged_at IS NULL"),
        ANY("l.purged_at IS NULL");

        private final String condition;

        State(String condition) {
            this.condition = condition;
        }
    }

    private final Map<String, String> conditions;
    private final Map<String, Object> values;
    private final Map<String, String> description;
    private final State state;
    private final int pageSize;
    private final @Nullable Position after;

    private DeadLetterQuery(Builder builder) {
        conditions = Map.copyOf(builder.conditions);
        values = Map.copyOf(builder.values);
        description = Map.copyOf(builder.description);
        state = builder.state;
        pageSize = builder.pageSize;
        after = builder.after;
    }

    public static Builder builder() {
        return new Builder();
    }

    private DeadLetterQuery(DeadLetterQuery query, @Nullable Position after) {
        conditions = query.conditions;
        values = query.values;
        description = query.description;
        state = query.state;
        pageSize = query.pageSize;
        this.after = after;
    }

    /** The same without its cursor. */
    DeadLetterQuery fromTheBeginning() {
        return new DeadLetterQuery(this, null);
    }

    /**
     * The condition in SQL on rows {@code l} of {@code posthorn.dead_letter}, for statements that do something with the
     * whole set. It holds names of values only, each of which begins with {@code letter_}; they are in {@link #values}.
     * Page size and cursor are no part of it.
     */
    public String condition() {
        return condition(conditions.keySet()) + " AND " + state.condition;
    }

    /** The values that {@link #condition} names, to be bound. */
    public Map<String, Object> values() {
        return values;
    }

    /** What is asked for, as a text for each field that is given, by the name that the builder has for it. */
    public Map<String, String> describe() {
        Map<String, String> all = new TreeMap<>(description);
        all.put("state", state.name());
        return all;
    }

    /** The part of the condition that is about these fields. */
    String condition(Set<String> fields) {
        List<String> parts = new ArrayList<>();
        for (String field : new TreeSet<>(fields)) {
            parts.add(Objects.requireNonNullElse(conditions.get(field), "true"));
        }
        return parts.isEmpty() ? "true" : String.join(" AND ", parts);
    }

    /** Which are given, by the names that the builder has for them. */
    Set<String> fields() {
        return conditions.keySet();
    }

    @Nullable
    String subscription() {
        return description.get("subscription");
    }

    @Nullable
    Instant from() {
        return (Instant) values.get("letter_since");
    }

    @Nullable
    Instant to() {
        return (Instant) values.get("letter_until");
    }

    State state() {
        return state;
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
        private final Map<String, String> description = new HashMap<>();
        private State state = State.OPEN;
        private int pageSize = 100;
        private @Nullable Position after;

        private Builder() {}

        /** The dead letter's own id. */
        public Builder id(long id) {
            return where("id", "l.id = :letter_id", "letter_id", id);
        }

        /** One of these; those that are no dead letters any more are left out. */
        public Builder ids(Collection<Long> ids) {
            if (ids.isEmpty() || ids.size() > MAX_IDS) {
                throw Requests.refuse("ids has " + ids.size() + " numbers; it must have from 1 to " + MAX_IDS);
            }
            List<Long> each = ids.stream().distinct().sorted().toList();
            where("ids", "l.id = ANY (:letter_ids::bigint[])", "letter_ids", each.toArray(Long[]::new));
            description.put("ids", described(each));
            return this;
        }

        public Builder eventId(UUID eventId) {
            return eventIds(List.of(eventId));
        }

        /** Any of these. */
        public Builder eventIds(Collection<UUID> eventIds) {
            String[] texts = eventIds.stream().map(UUID::toString).toArray(String[]::new);
            where("eventId", "l.event_id = ANY (:letter_event_ids::text[]::uuid[])", "letter_event_ids", texts);
            description.put("eventId", String.join(" ", texts));
            return this;
        }

        public Builder subscription(String name) {
            return where(
                    "subscription",
                    "l.subscription_id = (SELECT id FROM posthorn.subscription WHERE name = :letter_subscription)",
                    "letter_subscription",
                    Requests.text("subscription", name, Requests.MAX_NAME));
        }

        /**
         * Its message holds this text: each character stands for itself, and upper and lower case are the same as far as
         * the database's locale tells.
         */
        public Builder errorMessage(String text) {
            String literally = Requests.text("errorMessage", text, Requests.MAX_TEXT)
                    .replace("\\", "\\\\")
                    .replace("%", "\\%")
                    .replace("_", "\\_");
            where("errorMessage", "l.error_message ILIKE :letter_message", "letter_message", "%" + literally + "%");
            description.put("errorMessage", text);
            return this;
        }

        public Builder errorClass(String errorClass) {
            return where(
                    "errorClass",
                    "l.error_class = :letter_error_class",
                    "letter_error_class",
                    Requests.text("errorClass", errorClass, Requests.MAX_TEXT));
        }

        /** As {@link DeadLetterGroup#cause} has it. */
        public Builder cause(String cause) {
            return where(
                    "cause",
                    "l.cause = :letter_cause",
                    "letter_cause",
                    Requests.text("cause", cause, Requests.MAX_TEXT));
        }

        public Builder type(String type) {
            return where(
                    "type", "l.type = :letter_type", "letter_type", Requests.text("type", type, Requests.MAX_NAME));
        }

        public Builder key(String key) {
            return where(
                    "key",
                    "l.key = :letter_key AND hashtextextended(l.key, 0) = hashtextextended(:letter_key, 0)",
                    "letter_key",
                    Requests.text("key", key, MAX_KEY));
        }

        public Builder source(String source) {
            return where(
                    "source",
                    "l.source = :letter_source",
                    "letter_source",
                    Requests.text("source", source, Requests.MAX_NAME));
        }

        /** Last failed at or after this time. */
        public Builder from(Instant from) {
            return where("from", "l.last_failed_at >= :letter_since", "letter_since", Requests.time("from", from));
        }

        /** Last failed before this time. */
        public Builder to(Instant to) {
            return where("to", "l.last_failed_at < :letter_until", "letter_until", Requests.time("to", to));
        }

        public Builder attemptsAtLeast(int attempts) {
            return where(
                    "attemptsAtLeast",
                    "l.attempts >= :letter_attempts",
                    "letter_attempts",
                    Requests.between("attemptsAtLeast", attempts, 0, Integer.MAX_VALUE));
        }

        /** Whether it was sent again in vain since it became a dead letter. */
        public Builder replayed(boolean replayed) {
            return where("replayed", "(l.replays > 0) = :letter_replayed", "letter_replayed", replayed);
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
            if (values.get("letter_since") instanceof Instant from
                    && values.get("letter_until") instanceof Instant to
                    && !from.isBefore(to)) {
                throw Requests.refuse("from is " + from + " and to is " + to + "; from must be before to");
            }
            return new DeadLetterQuery(this);
        }

        private static String described(List<Long> ids) {
            String first =
                    ids.stream().limit(MAX_DESCRIBED).map(String::valueOf).collect(Collectors.joining(", "));
            return ids.size() <= MAX_DESCRIBED ? first : first + " and " + (ids.size() - MAX_DESCRIBED) + " more";
        }

        private Builder where(String field, String condition, String name, Object value) {
            conditions.put(field, condition);
            values.put(name, value);
            description.put(field, String.valueOf(value));
            return this;
        }
    }
}
