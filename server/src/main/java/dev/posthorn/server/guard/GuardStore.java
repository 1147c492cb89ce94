package dev.posthorn.server.guard;

import dev.posthorn.audit.Actor;
import dev.posthorn.log.Queries;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentContent;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentTable;
import dev.posthorn.server.documents.StoredDocument;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps guards. */
final class GuardStore {

    private static final String ROWS =
            "SELECT name, revision, document, secrets, key_id, created_at, changed_at FROM posthorn.guard d";

    private static final String MAKE = """
            INSERT INTO posthorn.guard (name, document, secrets, key_id)
            VALUES (:name, :document, :secrets::bytea, :key_id::text)
                ON CONFLICT (name) DO NOTHING RETURNING revision
            """;

    private static final String CHANGE = """
            UPDATE posthorn.guard
               SET revision = nextval('posthorn.guard_revision'), document = :document, secrets = :secrets::bytea,
                   key_id = :key_id::text, changed_at = posthorn.clock()
             WHERE name = :name AND revision = :revision RETURNING revision
            """;

    private static final String DELETE =
            "DELETE FROM posthorn.guard WHERE name = :name AND revision = :revision RETURNING revision";

    private static final String FEEDERS = """
            SELECT name FROM posthorn.hub_subscription
             WHERE deleted_at IS NULL
               AND document::jsonb #>> '{sink,kind}' = 'guard' AND document::jsonb #>> '{sink,guard}' = :name
             ORDER BY name
            """;

    private final Queries queries;
    private final DocumentTable<StoredDocument> table;

    GuardStore(Queries queries) {
        this.queries = queries;
        this.table = new DocumentTable<>(queries, DocumentKind.GUARD, ROWS, StoredDocument::of);
    }

    DocumentTable<StoredDocument> table() {
        return table;
    }

    /** The subscriptions that hand events to it. */
    List<String> feeders(String name) {
        return queries.run(
                "looking who feeds guard " + name,
                t -> t.list(FEEDERS, Map.of("name", name), row -> row.getString("name")));
    }

    /**
     * Makes or changes it.
     *
     * @param before what it is now; null if it is to be new
     * @return the revision that it is then; empty if it was not as said
     */
    Optional<Long> save(@Nullable StoredDocument before, DocumentContent content, DocumentAct act, Actor by) {
        Map<String, @Nullable Object> values = content.values(act.name());
        values.put("revision", before == null ? null : before.revision());
        return change(before == null ? MAKE : CHANGE, values, act, by);
    }

    /** False if it was not as said. */
    boolean delete(StoredDocument before, Actor by) {
        return change(
                        DELETE,
                        Map.of("name", before.name(), "revision", before.revision()),
                        DocumentAct.delete(DocumentKind.GUARD, before.name()),
                        by)
                .isPresent();
    }

    private Optional<Long> change(
            String sql, Map<String, ? extends @Nullable Object> values, DocumentAct act, Actor by) {
        return table.change(act.name(), t -> t.first(sql, values, row -> row.getLong("revision")), act::at, by);
    }
}
