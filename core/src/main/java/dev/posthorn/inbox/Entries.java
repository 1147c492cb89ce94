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
            INSERT INTO posthorn.inbox_entry (consumer, event_id)
            SELECT :consumer::text, :id::uuid WHERE {durable}
                ON CONFLICT DO NOTHING
            """;

    /** In one order for all, so that two batches cannot deadlock. */
    private static final String ENTER_EACH = """
            INSERT INTO posthorn.inbox_entry (consumer, event_id)
            SELECT :consumer::text, event_id FROM unnest(:ids::uuid[]) AS claimed (event_id)
             WHERE {durable}
             ORDER BY event_id
                ON CONFLICT DO NOTHING
            RETURNING event_id
            """;

    /** In the same order. */
    private static final String ENTER_WITH_DIGESTS = """
            INSERT INTO posthorn.inbox_entry (consumer, event_id, digest)
            SELECT :consumer::text, event_id, digest
              FROM unnest(:ids::uuid[], :digests::bytea[]) AS claimed (event_id, digest)
             WHERE {durable}
             ORDER BY event_id
                ON CONFLICT DO NOTHING
            RETURNING event_id
            """;

    private static final String DIGESTS = """
            SELECT event_id, digest FROM posthorn.inbox_entry
             WHERE consumer = :consumer::text AND event_id = ANY (:ids::uuid[])
            """;

    private final Sql enterOne;
    private final Sql enterEach;
    private final Sql enterWithDigests;
    private final Sql digests;

    Entries(SchemaName schema) {
        this.enterOne = durable(schema, ENTER_ONE);
        this.enterEach = durable(schema, ENTER_EACH);
        this.enterWithDigests = durable(schema, ENTER_WITH_DIGESTS);
        this.digests = Sql.of(schema, DIGESTS);
    }

    /** The entry comes with an effect, and whoever sent the event is told that it need not come again. */
    private static Sql durable(SchemaName schema, String sql) {
        return Sql.of(schema, sql.replace("{durable}", DurableCommit.CONDITION));
    }

    /** Whether it was not there before. */
    boolean enter(Connection connection, String consumer, UUID eventId) throws SQLException {
        try (PreparedStatement statement = enterOne.prepare(connection, Map.of("consumer", consumer, "id", eventId))) {
            return statement.executeUpdate() > 0;
        }
    }

    /** Those that were not there before. Each id once. */
    Set<UUID> enterEach(Connection connection, String consumer, Collection<UUID> ids) throws SQLException {
        return entered(connection, enterEach, Map.of("consumer", consumer, "ids", texts(ids)));
    }

    /** The same with what came under each id. */
    Set<UUID> enterWithDigests(Connection connection, String consumer, Collection<InboxEntry> entries)
            throws SQLException {
        Map<String, Object> values = Map.of(
                "consumer",
                consumer,
                "ids",
                texts(entries.stream().map(InboxEntry::eventId).toList()),
                "digests",
                connection.createArrayOf(
                        "bytea", entries.stream().map(InboxEntry::digest).toArray(byte[][]::new)));
        return entered(connection, enterWithDigests, values);
    }

    private static Set<UUID> entered(Connection connection, Sql sql, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            Set<UUID> fresh = new HashSet<>();
            while (rows.next()) {
                fresh.add(rows.getObject(1, UUID.class));
            }
            return fresh;
        }
    }

    /** What is in the table now of these; what retention has deleted is missing. */
    Map<UUID, byte @Nullable []> digests(Connection connection, String consumer, List<UUID> ids) throws SQLException {
        Map<String, Object> values = Map.of("consumer", consumer, "ids", texts(ids));
        try (PreparedStatement statement = digests.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            Map<UUID, byte @Nullable []> stored = new HashMap<>();
            while (rows.next()) {
                stored.put(rows.getObject(1, UUID.class), rows.getBytes(2));
            }
            return stored;
        }
    }

    private static String[] texts(Collection<UUID> ids) {
        return ids.stream().map(UUID::toString).toArray(String[]::new);
    }
}
