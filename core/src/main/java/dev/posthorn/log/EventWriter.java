package dev.posthorn.log;

import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes events into the caller's transaction. */
public final class EventWriter {

    /** A row that is visible before it is durable could be delivered and then un-happen. */
    private static final String COMMIT_DURABLY = "WHERE " + DurableCommit.CONDITION;

    private static final String COLUMNS = """
            INSERT INTO posthorn.event (id, source_id, source, type, version, aggregate_type, key, content_type, payload,
                                        headers, occurred_at, deliver_at)
            """;

    private static final String INSERT_ONE = COLUMNS + """
            SELECT ?::uuid, ?::text, ?::text, ?::text, ?::int, ?::text, ?::text, ?::text, ?::bytea, ?::jsonb,
                   coalesce(?::timestamptz, posthorn.clock()), ?::timestamptz
            """;

    private static final String INSERT_MANY = COLUMNS + """
            SELECT id, source_id, source, type, version, aggregate_type, key, content_type, payload, headers::jsonb,
                   coalesce(occurred_at, posthorn.clock()), deliver_at
              FROM unnest(:id::uuid[], :source_id::text[], :source::text[], :type::text[], :version::int[],
                          :aggregate_type::text[], :key::text[], :content_type::text[], :payload::bytea[],
                          :headers::text[], :occurred_at::timestamptz[], :deliver_at::timestamptz[])
                   AS e (id, source_id, source, type, version, aggregate_type, key, content_type, payload, headers,
                         occurred_at, deliver_at)
            """;

    /** In one order for all writers, so that two batches cannot deadlock. */
    private static final String LOCK_KEYS = """
            SELECT pg_advisory_xact_lock(lock)
              FROM (SELECT DISTINCT hashtextextended(key COLLATE "C", 7274) AS lock FROM unnest(:keys::text[]) key
                     ORDER BY 1) locks
            """;

    private final String insertOne;
    private final Sql insertMany;
    private final Sql lockKeys;

    public EventWriter(SchemaName schema, boolean commitDurably) {
        String condition = commitDurably ? COMMIT_DURABLY : "";
        this.insertOne = schema.apply(INSERT_ONE + condition);
        this.insertMany = Sql.of(schema, INSERT_MANY + condition);
        this.lockKeys = Sql.of(schema, LOCK_KEYS);
    }

    /** By place: this is the one statement that stands in the way of every business transaction. */
    public void write(Connection connection, Event event) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(insertOne)) {
            insert.setObject(1, event.id());
            insert.setString(2, event.sourceId());
            insert.setString(3, event.source());
            insert.setString(4, event.type());
            insert.setInt(5, event.version());
            insert.setString(6, event.aggregateType());
            insert.setString(7, event.key());
            insert.setString(8, event.contentType());
            insert.setBytes(9, event.payload());
            insert.setString(10, headers(event));
            insert.setObject(11, time(event.occurredAt()), Types.TIMESTAMP_WITH_TIMEZONE);
            insert.setObject(12, time(event.deliverAt()), Types.TIMESTAMP_WITH_TIMEZONE);
            insert.executeUpdate();
        }
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    /** All of them in one statement, numbered in the order given. */
    public void write(Connection connection, List<Event> events) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("id", texts(events, event -> event.id().toString()));
        values.put("source_id", texts(events, Event::sourceId));
        values.put("source", texts(events, Event::source));
        values.put("type", texts(events, Event::type));
        values.put("version", texts(events, event -> Integer.toString(event.version())));
        values.put("aggregate_type", texts(events, Event::aggregateType));
        values.put("key", texts(events, Event::key));
        values.put("content_type", texts(events, Event::contentType));
        values.put(
                "payload",
                connection.createArrayOf(
                        "bytea", events.stream().map(Event::payload).toArray(byte[][]::new)));
        values.put("headers", texts(events, EventWriter::headers));
        values.put("occurred_at", texts(events, event -> text(event.occurredAt())));
        values.put("deliver_at", texts(events, event -> text(event.deliverAt())));
        execute(connection, insertMany, values);
    }

    /** Makes writers of the same key wait for each other until they commit. */
    public void lockKeys(Connection connection, List<Event> events) throws SQLException {
        String[] keys = events.stream()
                .map(Event::key)
                .filter(Objects::nonNull)
                .distinct()
                .toArray(String[]::new);
        if (keys.length > 0) {
            execute(connection, lockKeys, Map.of("keys", keys));
        }
    }

    private static void execute(Connection connection, Sql sql, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values)) {
            statement.execute();
        }
    }

    /** Null if no event has the field: unnest pads the shorter lists, and there is less to send. */
    private static @Nullable String @Nullable [] texts(List<Event> events, Function<Event, @Nullable String> field) {
        @Nullable String[] texts = new String[events.size()];
        boolean any = false;
        for (int i = 0; i < texts.length; i++) {
            texts[i] = field.apply(events.get(i));
            any |= texts[i] != null;
        }
        return any ? texts : null;
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }

    private static @Nullable String headers(Event event) {
        return event.headers().isEmpty() ? null : FlatJson.object(event.headers());
    }
}
