package dev.posthorn.deadletter;

import dev.posthorn.deadletter.DeadLetterQuery.State;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Where a query looks, from the newest failure to the oldest: along the index that narrows it most. Every index ends with
 * time and id, so that all of them give the same order.
 *
 * <p>What comes before those two is compared as one row with them, and sorted by, although it is always the same: the
 * planner then knows of no other way than this index, whatever its statistics say of the others.
 */
enum DeadLetterTrail {
    /** A few rows, each found by its own id: they are looked at all together. */
    NAMED("", "", "true"),
    KEY("hashtextextended(l.key, 0), ", "hashtextextended(:letter_key, 0), ", "l.key IS NOT NULL"),
    GROUP(
            "l.subscription_id, l.error_class, l.cause, ",
            "(SELECT id FROM posthorn.subscription WHERE name = :letter_subscription), :letter_error_class,"
                    + " :letter_cause, ",
            "l.discarded_at IS NULL"),
    SUBSCRIPTION(
            "l.subscription_id, ",
            "(SELECT id FROM posthorn.subscription WHERE name = :letter_subscription), ",
            "true"),
    NEWEST("", "", "true");

    private static final Set<String> NAMES = Set.of("id", "ids", "eventId");
    private static final Set<String> OF_GROUP = Set.of("subscription", "errorClass", "cause");

    private static final String WALK = """
              FROM posthorn.dead_letter l
             WHERE {more}
               AND ({columns}l.last_failed_at) >= ({values}:least_time::timestamptz)
               AND ({columns}l.last_failed_at, l.id) < ({values}:before_time::timestamptz, :before_id)
             ORDER BY {order}l.last_failed_at DESC, l.id DESC LIMIT :slice
            """;

    private static final String LOOK_UP = """
              FROM posthorn.dead_letter l
             WHERE {names} AND (l.last_failed_at, l.id) < (:before_time::timestamptz, :before_id)
            """;

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final String columns;
    private final String values;
    private final String more;

    DeadLetterTrail(String columns, String values, String more) {
        this.columns = columns;
        this.values = values;
        this.more = more;
    }

    static DeadLetterTrail of(DeadLetterQuery query) {
        Set<String> fields = query.fields();
        if (fields.stream().anyMatch(NAMES::contains)) {
            return NAMED;
        }
        if (fields.contains("key")) {
            return KEY;
        }
        if (fields.containsAll(OF_GROUP) && query.state() == State.OPEN) {
            return GROUP;
        }
        return fields.contains("subscription") ? SUBSCRIPTION : NEWEST;
    }

    /** What follows the columns in a statement that looks at rows {@code l}, with {@link #values}. */
    String walk(DeadLetterQuery query) {
        if (this == NAMED) {
            return LOOK_UP.replace("{names}", query.condition(names(query)));
        }
        return WALK.replace("{columns}", columns)
                .replace("{values}", values)
                .replace("{order}", columns.isEmpty() ? "" : order())
                .replace("{more}", more);
    }

    private static Set<String> names(DeadLetterQuery query) {
        return query.fields().stream().filter(NAMES::contains).collect(java.util.stream.Collectors.toSet());
    }

    /** A comma within a call is none that separates columns. */
    private String order() {
        return columns.replace("(l.key, 0)", "(l.key; 0)")
                .replace(", ", " DESC, ")
                .replace(";", ",");
    }

    boolean isWalked() {
        return this != NAMED;
    }

    /** Where it begins. */
    static Position beginning(DeadLetterQuery query) {
        Instant to = query.to();
        Position end = new Position(to == null ? LATEST : to, 0);
        Position after = query.after();
        return after == null || end.isOlderThan(after) ? end : after;
    }

    static Map<String, Object> values(DeadLetterQuery query, Position before, int slice) {
        Map<String, Object> all = new HashMap<>(query.values());
        Instant from = query.from();
        all.put("least_time", from == null ? EARLIEST : from);
        all.put("before_time", before.lastFailedAt());
        all.put("before_id", before.id());
        all.put("slice", slice);
        return all;
    }
}
