package dev.posthorn.server.types;

import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.types.EventType.Definition;
import dev.posthorn.server.types.EventType.Protobuf;
import dev.posthorn.server.web.Preconditions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table of event types. */
final class EventTypeStore {

    private static final String COLUMNS = """
            SELECT name, revision, description, aggregate_type, content_type, json_schema, protobuf_descriptor,
                   protobuf_message, masks, seen, created_at, changed_at
              FROM posthorn.event_type
            """;

    private static final String ONE = COLUMNS + "WHERE name = :name";

    private static final String LOCK_ONE = ONE + " FOR UPDATE";

    private static final String THESE = COLUMNS + "WHERE name = ANY (:names::text[])";

    private static final String PAGE = COLUMNS + "WHERE name > :after ORDER BY name LIMIT :limit";

    private static final String HEADS = "SELECT name, revision, created_at FROM posthorn.event_type";

    private static final String DEFINED_HEADS = HEADS + " WHERE NOT seen";

    private static final String ANY_DEFINED =
            "SELECT 1 FROM posthorn.event_type WHERE name = ANY (:names::text[]) AND NOT seen LIMIT 1";

    private static final String INSERT = """
            INSERT INTO posthorn.event_type (name, description, aggregate_type, content_type, json_schema,
                                             protobuf_descriptor, protobuf_message, masks)
            VALUES (:name, :description, :aggregate_type, :content_type, :json_schema,
                    decode(:protobuf_descriptor, 'base64'), :protobuf_message, :masks::text[])
            ON CONFLICT DO NOTHING
            """;

    private static final String UPDATE = """
            UPDATE posthorn.event_type
               SET revision = revision + 1, changed_at = posthorn.clock(), seen = false, description = :description,
                   aggregate_type = :aggregate_type, content_type = :content_type, json_schema = :json_schema,
                   protobuf_descriptor = decode(:protobuf_descriptor, 'base64'), protobuf_message = :protobuf_message,
                   masks = :masks::text[]
             WHERE name = :name
            """;

    private static final String DELETE = "DELETE FROM posthorn.event_type WHERE name = :name";

    /** Publishers choose the names; beyond so many they are not worth a list. */
    static final int MOST_SEEN = 10_000;

    /** In one order for all, so that two instances which see the same types at once wait instead of deadlocking. */
    private static final String SEEN = """
            INSERT INTO posthorn.event_type (name, seen)
            SELECT name, true FROM unnest(:names::text[]) name
             ORDER BY name COLLATE "C"
             LIMIT greatest(0, :most - (SELECT count(*) FROM posthorn.event_type WHERE seen))
            ON CONFLICT DO NOTHING
            """;

    private final Queries queries;

    EventTypeStore(Queries queries) {
        this.queries = queries;
    }

    /** What tells one state of a type from another, also after it was deleted and made anew. */
    record Head(String name, long revision, Instant createdAt) {}

    List<Head> heads() {
        return heads(HEADS);
    }

    /** Without those that only their events made known. */
    List<Head> definedHeads() {
        return heads(DEFINED_HEADS);
    }

    private List<Head> heads(String sql) {
        return queries.run(
                "reading event types",
                t -> t.list(
                        sql,
                        Map.of(),
                        row -> new Head(
                                row.getString("name"), row.getLong("revision"), Queries.time(row, "created_at"))));
    }

    /** Whether somebody said something about one of them. */
    boolean anyDefined(Collection<String> names) {
        return queries.run(
                "reading event types",
                t -> t.first(ANY_DEFINED, Map.of("names", names.toArray(String[]::new)), row -> true)
                        .isPresent());
    }

    List<EventType> find(Collection<String> names) {
        return queries.run(
                "reading event types",
                t -> t.list(THESE, Map.of("names", names.toArray(String[]::new)), EventTypeStore::read));
    }

    Optional<EventType> find(String name) {
        return queries.run("reading an event type", t -> t.first(ONE, Map.of("name", name), EventTypeStore::read));
    }

    List<EventType> page(String after, int limit) {
        return queries.run(
                "listing event types", t -> t.list(PAGE, Map.of("after", after, "limit", limit), EventTypeStore::read));
    }

    /** What became of a put. */
    record Put(EventType type, boolean created) {}

    Put put(String name, Definition definition, Preconditions preconditions, Actor by) {
        Optional<Put> put;
        do {
            put = queries.run("registering an event type", t -> put(t, name, definition, preconditions, by));
        } while (put.isEmpty());
        return put.get();
    }

    /** Nothing if somebody else made it at the same time, so that it has to be looked at again. */
    private static Optional<Put> put(
            Queries.Transaction t, String name, Definition definition, Preconditions preconditions, Actor by)
            throws SQLException {
        EventType old =
                t.first(LOCK_ONE, Map.of("name", name), EventTypeStore::read).orElse(null);
        preconditions.require(old == null ? null : old.revision());
        if (old != null && !old.seen() && old.definition().equals(definition)) {
            return Optional.of(new Put(old, false));
        }
        if (t.update(old == null ? INSERT : UPDATE, values(name, definition)) == 0) {
            return Optional.empty();
        }
        Changes.countUp(t, Changes.Topic.EVENT_TYPES);
        EventType type =
                t.first(ONE, Map.of("name", name), EventTypeStore::read).orElseThrow();
        Audit.write(t, by, old == null ? TypeActs.create(type) : TypeActs.change(old, type));
        return Optional.of(new Put(type, old == null));
    }

    private static Map<String, @Nullable Object> values(String name, Definition definition) {
        Protobuf protobuf = definition.protobuf();
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("name", name);
        values.put("description", definition.description());
        values.put("aggregate_type", definition.aggregateType());
        values.put("content_type", definition.contentType());
        values.put("json_schema", definition.jsonSchema());
        values.put("protobuf_descriptor", protobuf == null ? null : protobuf.descriptor());
        values.put("protobuf_message", protobuf == null ? null : protobuf.message());
        values.put("masks", definition.masks().toArray(String[]::new));
        return values;
    }

    /** False if there was none. */
    boolean delete(String name, Preconditions preconditions, Actor by) {
        return queries.run("deleting an event type", t -> {
            EventType old = t.first(LOCK_ONE, Map.of("name", name), EventTypeStore::read)
                    .orElse(null);
            preconditions.require(old == null ? null : old.revision());
            if (old == null) {
                return false;
            }
            t.update(DELETE, Map.of("name", name));
            Audit.write(t, by, TypeActs.delete(old));
            Changes.countUp(t, Changes.Topic.EVENT_TYPES);
            return true;
        });
    }

    /**
     * Registers those that are still unknown, unless there are too many. Nobody asks for it, so it is not in the audit, and
     * nothing follows from it, so no instance is told.
     */
    void seen(Collection<String> names) {
        queries.run(
                "registering event types",
                t -> t.update(SEEN, Map.of("names", names.toArray(String[]::new), "most", MOST_SEEN)));
    }

    private static EventType read(ResultSet row) throws SQLException {
        Definition definition = new Definition(
                row.getString("description"),
                row.getString("aggregate_type"),
                row.getString("content_type"),
                row.getString("json_schema"),
                protobuf(row),
                List.of((String[]) row.getArray("masks").getArray()));
        return new EventType(
                row.getString("name"),
                row.getLong("revision"),
                row.getBoolean("seen"),
                Queries.time(row, "created_at"),
                Queries.time(row, "changed_at"),
                definition);
    }

    private static @Nullable Protobuf protobuf(ResultSet row) throws SQLException {
        String message = row.getString("protobuf_message");
        byte[] descriptor = row.getBytes("protobuf_descriptor");
        return message == null || descriptor == null
                ? null
                : new Protobuf(Base64.getEncoder().encodeToString(descriptor), message);
    }
}
