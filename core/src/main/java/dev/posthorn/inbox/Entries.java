package dev.posthorn.inbox;

import dev.posthorn.log.DurableCommit;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table of inbox entries. */
final class Entries {

    private static final String ENTER_ONE = """
            INSERT INTO posthorn.inbox_entry (consumer, event_id, source)
            SELECT :consumer::text, :id::uuid, :source::text WHERE {durable}
                ON CONFLICT DO NOTHING
            """;

    /** In one order for all, so that two batches cannot deadlock. */
    private static final String ENTER_EACH = """
            INSERT INTO posthorn.inbox_entry (consumer, event_id, digest, source)
            SELECT :consumer::text, event_id, digest, source
              FROM unnest(:ids::uuid[], :digests::bytea[], :sources::text[]) AS claimed (event_id, digest, source)
             WHERE {durable}
             ORDER BY event_id
                ON CONFLICT DO NOTHING
            RETURNING event_id
            """;

    /**
     * In one order for all, too. Retention, which may be about to delete one of them, waits for this transaction and then
     * finds it young.
     */
    private static final String KEEP = """
            UPDATE posthorn.inbox_entry SET entered_at = greatest(entered_at, posthorn.clock())
             WHERE consumer = :consumer::text AND event_id = ANY (ARRAY(
                   SELECT event_id FROM posthorn.inbox_entry
                    WHERE consumer = :consumer::text AND event_id = ANY (:ids::uuid[])
                    ORDER BY event_id FOR UPDATE))
            RETURNING event_id
            """;

    private static final String FIND = """
            SELECT event_id, digest, source FROM posthorn.inbox_entry
             WHERE consumer = :consumer::text AND event_id = ANY (:ids::uuid[])
            """;

    private final Sql enterOne;
    private final Sql enterEach;
    private final Sql keep;
    private final Sql find;

    Entries(SchemaName schema) {
        this.enterOne = durable(schema, ENTER_ONE);
        this.enterEach = durable(schema, ENTER_EACH);
        this.keep = Sql.of(schema, KEEP);
        this.find = Sql.of(schema, FIND);
    }

    /** The entry comes with an effect, and whoever sent the event is told that it need not come again. */
    private static Sql durable(SchemaName schema, String sql) {
        return Sql.of(schema, sql.replace("{durable}", DurableCommit.CONDITION));
    }

    /** Whether it was not there before. */
    boolean enter(Connection connection, String consumer, UUID eventId, @Nullable String source) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("consumer", consumer);
        values.put("id", eventId);
        values.put("source", source);
        try (PreparedStatement statement = enterOne.prepare(connection, values)) {
            return statement.executeUpdate() > 0;
        }
    }

    /** Those that were not there before. Each id once. */
    Set<UUID> enterEach(Connection connection, String consumer, Collection<InboxEntry> entries) throws SQLException {
        Map<String, Object> values = Map.of(
                "consumer",
                consumer,
                "ids",
                texts(entries.stream().map(InboxEntry::eventId).toList()),
                "digests",
                connection.createArrayOf(
                        "bytea", entries.stream().map(InboxEntry::digest).toArray(byte[][]::new)),
                "sources",
                entries.stream().map(InboxEntry::source).toArray(String[]::new));
        return ids(connection, enterEach, values);
    }

    /** Has these stay for as long as what is entered now, and tells which are there; retention may have deleted others. */
    Set<UUID> keep(Connection connection, String consumer, Collection<UUID> ids) throws SQLException {
        return ids(connection, keep, Map.of("consumer", consumer, "ids", texts(ids)));
    }

    private static Set<UUID> ids(Connection connection, Sql sql, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            Set<UUID> ids = new HashSet<>();
            while (rows.next()) {
                ids.add(rows.getObject(1, UUID.class));
            }
            return ids;
        }
    }

    /** What is in the table now of these; what retention has deleted is missing. */
    Map<UUID, InboxEntry> find(Connection connection, String consumer, List<UUID> ids) throws SQLException {
        Map<String, Object> values = Map.of("consumer", consumer, "ids", texts(ids));
        try (PreparedStatement statement = find.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            Map<UUID, InboxEntry> stored = new HashMap<>();
            while (rows.next()) {
                UUID id = rows.getObject(1, UUID.class);
                stored.put(id, new InboxEntry(id, rows.getBytes(2), rows.getString(3)));
            }
            return stored;
        }
    }

    private static String[] texts(Collection<UUID> ids) {
        return ids.stream().map(UUID::toString).toArray(String[]::new);
    }
}
