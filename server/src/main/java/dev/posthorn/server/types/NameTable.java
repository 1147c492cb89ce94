package dev.posthorn.server.types;

import dev.posthorn.log.Queries;
import java.sql.SQLException;
import java.util.Map;

/**
 * A table of names that publishers choose by their events. There are so many at most, and a name goes when none of its
 * events is left.
 */
public enum NameTable {
    /** Types about which nobody has said anything. Beyond so many they are not worth a list. */
    TYPES("event_type", "seen", "type", 10_000),

    /** Sources that give events ids of their own. Whoever looks for an id tries all of them. */
    SOURCES("event_source", "true", "source", 100_000);

    /**
     * In one order for all, so that two batches cannot deadlock. Whether one is still in use is written down now and then:
     * {@link SeenNames} ask again within twelve hours, and what is six hours old is renewed.
     */
    private static final String ADD = """
            WITH again AS (
                UPDATE posthorn.%1$s SET seen_at = posthorn.clock()
                 WHERE name IN (SELECT name FROM posthorn.%1$s
                                 WHERE name = ANY (:names::text[]) AND %2$s
                                   AND seen_at < posthorn.clock() - interval '6 hours'
                                   FOR UPDATE SKIP LOCKED))
            INSERT INTO posthorn.%1$s (name)
            SELECT name FROM unnest(:names::text[]) name
             ORDER BY name COLLATE "C"
             LIMIT greatest(0, :most - (SELECT count(*) FROM posthorn.%1$s WHERE %2$s))
                ON CONFLICT DO NOTHING
            """;

    private static final String FORGET = """
            DELETE FROM posthorn.%1$s
             WHERE %2$s
               AND seen_at < coalesce((SELECT created_at FROM posthorn.event ORDER BY seq LIMIT 1), posthorn.clock())
                             - interval '1 day'
               AND name NOT IN (SELECT %3$s FROM posthorn.dead_letter)
            """;

    private final String add;
    private final String forget;
    private final int most;

    NameTable(String table, String those, String column, int most) {
        this.add = ADD.formatted(table, those);
        this.forget = FORGET.formatted(table, those, column);
        this.most = most;
    }

    /** Adds {@code :names}, as far as there are fewer than {@code :most}. */
    public String add() {
        return add;
    }

    /** How many there are at most. */
    public int most() {
        return most;
    }

    /** Removes those of which no event is left, in the log or among the dead letters, and says how many. */
    int forget(Queries.Transaction transaction) throws SQLException {
        return transaction.update(forget, Map.of());
    }
}
