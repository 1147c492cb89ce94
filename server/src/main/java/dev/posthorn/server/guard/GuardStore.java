package dev.posthorn.server.guard;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.secrets.Encrypted;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps guards. */
final class GuardStore {

    private static final String ROWS =
            "SELECT name, revision, document, secrets, key_id, created_at, changed_at FROM posthorn.guard";

    private static final String ONE = ROWS + " WHERE name = :name";

    private static final String ALL = ROWS + " ORDER BY name";

    private static final String PAGE = ROWS + " WHERE name > :after ORDER BY name LIMIT :limit";

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

    private static final String ENCRYPT_ANEW = """
            UPDATE posthorn.guard SET secrets = :secrets, key_id = :key_id
             WHERE name = :name AND revision = :revision AND key_id = :former
            """;

    private final Queries queries;

    GuardStore(Queries queries) {
        this.queries = queries;
    }

    Optional<GuardRow> find(String name) {
        return queries.run("looking for guard " + name, t -> t.first(ONE, Map.of("name", name), GuardRow::of));
    }

    List<GuardRow> all() {
        return queries.run("reading guards", t -> t.list(ALL, Map.of(), GuardRow::of));
    }

    List<GuardRow> page(String after, int limit) {
        return queries.run("listing guards", t -> t.list(PAGE, Map.of("after", after, "limit", limit), GuardRow::of));
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
     * @param before the revision that it is now; null if it is to be new
     * @return the revision that it is then; empty if it was not as said
     */
    Optional<Long> save(
            String name,
            @Nullable Long before,
            String document,
            @Nullable Encrypted secrets,
            String changed,
            Actor by) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("name", name);
        values.put("revision", before);
        values.put("document", document);
        values.put("secrets", secrets == null ? null : secrets.bytes());
        values.put("key_id", secrets == null ? null : secrets.keyId());
        return before == null
                ? done(MAKE, values, "create", Map.of("document", document), by)
                : done(CHANGE, values, "change", Map.of("document", document, "changed", changed), by);
    }

    /** False if it was not at that revision. */
    boolean delete(String name, long revision, Actor by) {
        return done(DELETE, Map.of("name", name, "revision", revision), "delete", Map.of(), by)
                .isPresent();
    }

    private Optional<Long> done(
            String change,
            Map<String, ? extends @Nullable Object> values,
            String verb,
            Map<String, String> detail,
            Actor by) {
        String name = String.valueOf(values.get("name"));
        return queries.run("storing guard " + name, t -> {
            Optional<Long> revision = t.first(change, values, row -> row.getLong("revision"));
            if (revision.isPresent()) {
                tell(t, verb, name, revision.get(), detail, by);
            }
            return revision;
        });
    }

    private static void tell(
            Queries.Transaction t, String verb, String name, long revision, Map<String, String> detail, Actor by)
            throws SQLException {
        Map<String, String> whole = new HashMap<>(detail);
        whole.put("revision", Long.toString(revision));
        Audit.write(t, by, Act.of("guard." + verb, "guard/" + name, whole));
        Changes.countUp(t, Changes.Topic.GUARDS);
    }

    /** The same secrets by another key; nothing if it was changed since it was read. */
    void encryptAnew(GuardRow row, String formerKeyId, Encrypted secrets) {
        Map<String, Object> values = Map.of(
                "name", row.name(),
                "revision", row.revision(),
                "former", formerKeyId,
                "secrets", secrets.bytes(),
                "key_id", secrets.keyId());
        queries.run("encrypting the secrets of guard " + row.name() + " anew", t -> t.update(ENCRYPT_ANEW, values));
    }
}
