package dev.posthorn.replay;

import dev.posthorn.log.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts what is picked: all of it, and by subscription, type and age. */
final class Breakdown {

    private static final String COUNT = """
            WITH {picked},
            clock AS MATERIALIZED (SELECT posthorn.clock() AS now),
            aged AS (
                SELECT p.skipped, s.name, p.type, p.recorded_at, p.seq, clock.now,
                       CASE WHEN p.recorded_at > clock.now - interval '1 hour' THEN 'LAST_HOUR'
                            WHEN p.recorded_at > clock.now - interval '1 day' THEN 'LAST_DAY'
                            WHEN p.recorded_at > clock.now - interval '7 days' THEN 'LAST_WEEK'
                            ELSE 'OLDER' END AS age
                  FROM picked p JOIN posthorn.subscription s ON s.id = p.subscription_id CROSS JOIN clock)
            SELECT skipped, name, type, age, grouping(name, type, age) AS by, count(*) AS count, min(seq) AS first,
                   extract(epoch FROM max(now - recorded_at)) AS oldest_s,
                   count(*) FILTER (WHERE recorded_at < now - :dedup_s * interval '1 second') AS forgotten
              FROM aged GROUP BY GROUPING SETS ((skipped), (skipped, name), (skipped, type), (skipped, age))
            """;

    private static final int BY_SUBSCRIPTION = 0b011;
    private static final int BY_TYPE = 0b101;
    private static final int BY_AGE = 0b110;

    final Map<String, Long> skipped = new HashMap<>();
    final Map<String, Long> subscriptions = new HashMap<>();
    final Map<String, Long> types = new HashMap<>();
    final Map<Preview.Age, Long> ages = new EnumMap<>(Preview.Age.class);
    private long count;
    private long forgotten;
    private @Nullable Long first;
    private Duration oldest = Duration.ZERO;

    private Breakdown() {}

    static Breakdown of(Queries.Transaction transaction, Pick pick, Duration dedupPeriod, int largest)
            throws SQLException {
        Map<String, @Nullable Object> values = pick.values(largest + 1L);
        values.put("dedup_s", dedupPeriod.toSeconds());
        Breakdown breakdown = new Breakdown();
        transaction.list(pick.statement(COUNT), values, row -> {
            breakdown.add(row);
            return row;
        });
        return breakdown;
    }

    private void add(ResultSet row) throws SQLException {
        String why = row.getString("skipped");
        long items = row.getLong("count");
        int by = row.getInt("by");
        if (why != null) {
            if (by == (BY_SUBSCRIPTION | BY_TYPE)) {
                skipped.put(why, items);
            }
            return;
        }
        switch (by) {
            case BY_SUBSCRIPTION -> subscriptions.put(row.getString("name"), items);
            case BY_TYPE -> types.put(row.getString("type"), items);
            case BY_AGE -> ages.put(Preview.Age.valueOf(row.getString("age")), items);
            default -> addAll(row, items);
        }
    }

    private void addAll(ResultSet row, long items) throws SQLException {
        count = items;
        forgotten = row.getLong("forgotten");
        first = row.getLong("first");
        oldest = Duration.ofSeconds((long) row.getDouble("oldest_s"));
    }

    /** How many are to be sent. */
    long count() {
        return count;
    }

    /** How many items there are, those included that are skipped. */
    long requested() {
        return count + skipped.values().stream().mapToLong(Long::longValue).sum();
    }

    /** How many are so old that consumers may not know them any more. */
    long forgotten() {
        return forgotten;
    }

    /** The least seq; null if there is none. */
    @Nullable
    Long first() {
        return first;
    }

    Duration oldest() {
        return oldest;
    }
}
