package dev.posthorn.inbox;

import dev.posthorn.inbox.ConsumerListener.Partition;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** The tables of what a consumer's members have in hand. */
final class CountedAttempts {

    /** One statement, so one snapshot: what was there before it. */
    private static final String BEGIN = """
            WITH before AS (
                SELECT FROM posthorn.consumer_partition
                 WHERE consumer = :consumer AND topic = :topic AND partition = :partition),
            begun AS (
                INSERT INTO posthorn.consumer_partition (consumer, topic, partition, member)
                VALUES (:consumer, :topic, :partition, :member)
                    ON CONFLICT (consumer, topic, partition) DO UPDATE
                   SET member = excluded.member, begun_at = excluded.begun_at)
            SELECT EXISTS (SELECT FROM before) AS orphaned
            """;

    /** What the group has passed is done, one way or the other. */
    private static final String FORGET_PASSED = """
            DELETE FROM posthorn.consumer_attempt
             WHERE consumer = :consumer AND topic = :topic AND partition = :partition AND record_offset < :offset
            """;

    private static final String LOAD = """
            SELECT topic, partition, record_offset, event_id, attempts, alone FROM posthorn.consumer_attempt
             WHERE consumer = :consumer AND topic = :topic AND partition = :partition
            """;

    private static final String END = """
            DELETE FROM posthorn.consumer_partition p
             USING unnest(:topics::text[], :partitions::int[]) AS e (topic, partition)
             WHERE p.consumer = :consumer AND p.topic = e.topic AND p.partition = e.partition AND p.member = :member
            """;

    /**
     * Not of those that were taken before: they are given to no handler. One whose id another source has used may be
     * counted though it was taken. In one order for all members.
     */
    private static final String COUNT = """
            INSERT INTO posthorn.consumer_attempt
                   (consumer, topic, partition, record_offset, event_id, attempts, alone)
            SELECT :consumer, c.topic, c.partition, c.record_offset, c.event_id, c.attempts, c.alone
              FROM unnest(:topics::text[], :partitions::int[], :offsets::bigint[], :ids::uuid[], :attempts::int[],
                          :alone::boolean[], :sources::text[])
                   AS c (topic, partition, record_offset, event_id, attempts, alone, source)
             WHERE NOT EXISTS (SELECT FROM posthorn.inbox_entry e
                                WHERE e.consumer = :consumer AND e.event_id = c.event_id
                                  AND coalesce(e.source, c.source) = c.source)
             ORDER BY c.topic, c.partition, c.record_offset
                ON CONFLICT (consumer, topic, partition, record_offset) DO UPDATE
               SET event_id = excluded.event_id, attempts = excluded.attempts, alone = excluded.alone,
                   counted_at = excluded.counted_at
            RETURNING topic, partition, record_offset, event_id, attempts, alone
            """;

    private static final String FORGET = """
            DELETE FROM posthorn.consumer_attempt a
             USING unnest(:topics::text[], :partitions::int[], :offsets::bigint[]) AS c (topic, partition, record_offset)
             WHERE a.consumer = :consumer AND a.topic = c.topic AND a.partition = c.partition
               AND a.record_offset = c.record_offset
            """;

    private final String consumer;
    private final Sql begin;
    private final Sql forgetPassed;
    private final Sql load;
    private final Sql end;
    private final Sql count;
    private final Sql forget;

    CountedAttempts(String consumer, SchemaName schema) {
        this.consumer = consumer;
        this.begin = Sql.of(schema, BEGIN);
        this.forgetPassed = Sql.of(schema, FORGET_PASSED);
        this.load = Sql.of(schema, LOAD);
        this.end = Sql.of(schema, END);
        this.count = Sql.of(schema, COUNT);
        this.forget = Sql.of(schema, FORGET);
    }

    Inheritance begin(Connection connection, Partition partition, UUID member, long offset) throws SQLException {
        Map<String, Object> values = of(partition);
        values.put("member", member);
        values.put("offset", offset);
        boolean orphaned = begin(connection, values);
        update(connection, forgetPassed, values);
        return new Inheritance(orphaned, read(connection, load, values));
    }

    private boolean begin(Connection connection, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = begin.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean("orphaned");
        }
    }

    private static List<Counted> read(Connection connection, Sql sql, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            List<Counted> counted = new ArrayList<>();
            while (rows.next()) {
                counted.add(counted(rows));
            }
            return counted;
        }
    }

    private static Counted counted(ResultSet row) throws SQLException {
        return new Counted(
                new Partition(row.getString("topic"), row.getInt("partition")),
                row.getLong("record_offset"),
                row.getObject("event_id", UUID.class),
                row.getInt("attempts"),
                row.getBoolean("alone"));
    }

    void end(Connection connection, List<Partition> partitions, UUID member) throws SQLException {
        Map<String, Object> values = new HashMap<>();
        values.put("consumer", consumer);
        values.put("topics", texts(partitions, Partition::topic));
        values.put("partitions", texts(partitions, each -> Integer.toString(each.number())));
        values.put("member", member);
        update(connection, end, values);
    }

    /** Those of them that have to be given to a handler at all. */
    Set<Counted> count(Connection connection, List<Counted> attempts, List<String> sources) throws SQLException {
        Map<String, Object> values = places(attempts);
        values.put("ids", texts(attempts, each -> each.eventId().toString()));
        values.put("attempts", texts(attempts, each -> Integer.toString(each.attempts())));
        values.put("alone", texts(attempts, each -> Boolean.toString(each.alone())));
        values.put("sources", sources.toArray(String[]::new));
        return Set.copyOf(read(connection, count, values));
    }

    void forget(Connection connection, List<Counted> attempts) throws SQLException {
        if (!attempts.isEmpty()) {
            update(connection, forget, places(attempts));
        }
    }

    private static int update(Connection connection, Sql sql, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values)) {
            return statement.executeUpdate();
        }
    }

    private Map<String, Object> of(Partition partition) {
        Map<String, Object> values = new HashMap<>();
        values.put("consumer", consumer);
        values.put("topic", partition.topic());
        values.put("partition", partition.number());
        return values;
    }

    private Map<String, Object> places(List<Counted> attempts) {
        Map<String, Object> values = new HashMap<>();
        values.put("consumer", consumer);
        values.put("topics", texts(attempts, each -> each.partition().topic()));
        values.put(
                "partitions",
                texts(attempts, each -> Integer.toString(each.partition().number())));
        values.put("offsets", texts(attempts, each -> Long.toString(each.offset())));
        return values;
    }

    private static <T> String[] texts(List<T> each, Function<T, String> value) {
        return each.stream().map(value).toArray(String[]::new);
    }
}
