package dev.posthorn.audit;

import dev.posthorn.error.Requests;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which entries of the audit to look at: those that meet every field that is given. */
public final class AuditQuery {

    public static final int MAX_PAGE_SIZE = 1_000;

    private static final String BEFORE = "a.id < :before";

    /** An entry stays as it is, so its id tells its time too. */
    private static final String BEFORE_IN_TIME =
            "(a.done_at, a.id) < ((SELECT done_at FROM posthorn.audit WHERE id = :before), :before)";

    private static final Pattern CURSOR = Pattern.compile("\\d{1,18}");

    /** All entries, a hundred at a time. */
    public static final AuditQuery ALL = builder().build();

    private final List<String> conditions;
    private final Map<String, Object> values;
    private final int pageSize;

    private AuditQuery(Builder builder) {
        List<String> all = new ArrayList<>(builder.conditions.values());
        if (builder.values.containsKey("before")) {
            all.add(isOfATime(builder.values) ? BEFORE_IN_TIME : BEFORE);
        }
        conditions = List.copyOf(all);
        values = Map.copyOf(builder.values);
        pageSize = builder.pageSize;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The condition in SQL on entries {@code a}, with its values from {@link #values}. */
    String condition() {
        return conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
    }

    /**
     * By id, as the other indexes are; but entries of a time by the time, which their index gives at once. Both are the
     * same unless the clock was put back.
     */
    String order() {
        return isOfATime(values) ? "a.done_at DESC, a.id DESC" : "a.id DESC";
    }

    private static boolean isOfATime(Map<String, Object> values) {
        return values.containsKey("since") || values.containsKey("until");
    }

    Map<String, Object> values() {
        return values;
    }

    int pageSize() {
        return pageSize;
    }

    /** Collects the fields; each is checked as it is given. */
    public static final class Builder {

        private final Map<String, String> conditions = new HashMap<>();
        private final Map<String, Object> values = new HashMap<>();
        private int pageSize = 100;

        private Builder() {}

        public Builder actor(String name) {
            return where("actor", "a.actor = :actor", Requests.text("actor", name, Requests.MAX_NAME));
        }

        /** Exactly this action; with a dot at its end, such as {@code replay.}, all that begin so. */
        public Builder action(String action) {
            return exactOrBeginning("action", Requests.text("action", action, Requests.MAX_TEXT), '.');
        }

        /** Exactly this target; with a slash at its end, such as {@code subscription/}, all of that kind. */
        public Builder target(String target) {
            return exactOrBeginning("target", Requests.text("target", target, Requests.MAX_TEXT), '/');
        }

        /** Done at or after this time. */
        public Builder from(Instant from) {
            return where("since", "a.done_at >= :since", Requests.time("from", from));
        }

        /** Done before this time. */
        public Builder to(Instant to) {
            return where("until", "a.done_at < :until", Requests.time("to", to));
        }

        public Builder requestId(String requestId) {
            return where(
                    "request_id",
                    "a.request_id = :request_id",
                    Requests.text("requestId", requestId, Requests.MAX_NAME));
        }

        /** 100 unless told otherwise. */
        public Builder pageSize(int pageSize) {
            this.pageSize = Requests.between("pageSize", pageSize, 1, MAX_PAGE_SIZE);
            return this;
        }

        /** Goes on after the page that gave this cursor; null begins with the newest. */
        public Builder cursor(@Nullable String cursor) {
            values.remove("before");
            if (cursor != null) {
                values.put("before", id(cursor));
            }
            return this;
        }

        private static long id(String cursor) {
            if (!CURSOR.matcher(cursor).matches()) {
                throw Requests.refuse(
                        "cursor '" + cursor + "' is not one that a page gave; leave it out to begin anew");
            }
            return Long.parseLong(cursor);
        }

        public AuditQuery build() {
            if (values.get("since") instanceof Instant from
                    && values.get("until") instanceof Instant to
                    && !from.isBefore(to)) {
                throw Requests.refuse("from is " + from + " and to is " + to + "; from must be before to");
            }
            return new AuditQuery(this);
        }

        /** A range instead of LIKE: it is found by an index whatever the value is, and nothing in it is a wildcard. */
        private Builder exactOrBeginning(String column, String text, char separator) {
            String end = column + "_end";
            values.remove(end);
            if (text.charAt(text.length() - 1) != separator) {
                return where(column, "a." + column + " = :" + column, text);
            }
            values.put(end, text.substring(0, text.length() - 1) + (char) (separator + 1));
            return where(column, "a.%1$s >= :%1$s AND a.%1$s < :%1$s_end".formatted(column), text);
        }

        private Builder where(String name, String condition, Object value) {
            conditions.put(name, condition);
            values.put(name, value);
            return this;
        }
    }
}
