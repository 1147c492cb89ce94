package dev.posthorn.server.types;

import dev.posthorn.audit.Actor;
import dev.posthorn.log.Queries;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentTable;
import dev.posthorn.server.types.EventType.Definition;
import dev.posthorn.server.types.EventType.Protobuf;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
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
              FROM posthorn.event_type d
            """;

    private static final String ONE = COLUMNS + "WHERE name = :name";

    private static final String THESE = COLUMNS + "WHERE name = ANY (:names::text[])";

    private static final String PAGE = COLUMNS + "WHERE name > :after ORDER BY name LIMIT :limit";

    /** How many of the next types a page may hold so that they have so many bytes together; the first whatever it has. */
    private static final String FITTING = """
            SELECT count(*) FROM (
                SELECT sum(size) OVER (ORDER BY name) - size AS before FROM (
                    SELECT name, coalesce(octet_length(json_schema), 0) + coalesce(octet_length(protobuf_descriptor), 0)
                           AS size
                      FROM posthorn.event_type WHERE name > :after ORDER BY name LIMIT :limit) next) sums
             WHERE before < :bytes
            """;

    /** A page of the longest definitions would not fit into memory. */
    static final int LONGEST_PAGE = 1_000_000;

    private static final String HEADS = "SELECT name, revision, created_at FROM posthorn.event_type";

    private static final String DEFINED_HEADS = HEADS + " WHERE NOT seen";

    private static final String ANY_DEFINED =
            "SELECT 1 FROM posthorn.event_type WHERE name = ANY (:names::text[]) AND NOT seen LIMIT 1";

    private static final String INSERT = """
            INSERT INTO posthorn.event_type (name, description, aggregate_type, content_type, json_schema,
                                             protobuf_descriptor, protobuf_message, masks, seen)
            VALUES (:name, :description, :aggregate_type, :content_type, :json_schema,
                    decode(:protobuf_descriptor, 'base64'), :protobuf_message, :masks::text[], false)
            ON CONFLICT DO NOTHING
            """;

    private static final String UPDATE = """
            UPDATE posthorn.event_type
               SET revision = revision + 1, changed_at = posthorn.clock(), seen = false, description = :description,
                   aggregate_type = :aggregate_type, content_type = :content_type, json_schema = :json_schema,
                   protobuf_descriptor = decode(:protobuf_descriptor, 'base64'), protobuf_message = :protobuf_message,
                   masks = :masks::text[]
             WHERE name = :name AND revision = :revision
            """;

    private static final String DELETE = "DELETE FROM posthorn.event_type WHERE name = :name AND revision = :revision";

    private final Queries queries;
    private final DocumentTable<EventType> table;

    EventTypeStore(Queries queries) {
        this.queries = queries;
        this.table = new DocumentTable<>(queries, DocumentKind.EVENT_TYPE, COLUMNS, EventTypeStore::read);
    }

    DocumentTable<EventType> table() {
        return table;
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

    /** The next types by name: so many, or fewer if they are long; and one more if there is one. */
    Page<EventType> page(String after, int limit) {
        Map<String, Object> asked = Map.of("after", after, "limit", limit, "bytes", LONGEST_PAGE);
        return queries.run("listing event types", t -> {
            int fitting = t.first(FITTING, asked, row -> row.getInt(1)).orElseThrow();
            int size = Math.max(1, fitting);
            return Page.of(
                    t.list(PAGE, Map.of("after", after, "limit", size + 1), EventTypeStore::read),
                    size,
                    type -> PageToken.of(type.name()));
        });
    }

    /**
     * Makes or changes it.
     *
     * @param before what it is now; null if it is to be new
     * @return what it is then; empty if it was not as said
     */
    Optional<EventType> save(String name, @Nullable EventType before, Definition definition, Actor by) {
        Map<String, @Nullable Object> values = values(name, definition);
        values.put("revision", before == null ? null : before.revision());
        return table.change(
                name,
                t -> t.update(before == null ? INSERT : UPDATE, values) == 0
                        ? Optional.empty()
                        : t.first(ONE, values, EventTypeStore::read),
                type -> before == null ? TypeActs.create(type) : TypeActs.change(before, type),
                by);
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

    /** False if it was not as said. */
    boolean delete(EventType before, Actor by) {
        Map<String, Object> values = Map.of("name", before.name(), "revision", before.revision());
        return table.change(
                        before.name(),
                        t -> t.update(DELETE, values) == 0 ? Optional.empty() : Optional.of(before),
                        TypeActs::delete,
                        by)
                .isPresent();
    }

    /**
     * Registers those that are still unknown, unless there are too many. Nobody asks for it, so it is not in the audit, and
     * nothing follows from it, so no instance is told.
     */
    void seen(Collection<String> names) {
        queries.run(
                "registering event types",
                t -> t.update(
                        NameTable.TYPES.add(),
                        Map.of("names", names.toArray(String[]::new), "most", NameTable.TYPES.most())));
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
