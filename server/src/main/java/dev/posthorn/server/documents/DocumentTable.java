package dev.posthorn.server.documents;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.secrets.Encrypted;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The table of one kind of documents. */
public final class DocumentTable<R extends NamedDocument> {

    private static final String ONE = " WHERE d.name = :name";

    private static final String ALL = " ORDER BY d.name";

    private static final String NAMED = " WHERE d.name = ANY (:names)";

    private static final String PAGE = " WHERE d.name > :after ORDER BY d.name LIMIT :limit";

    private static final String ENCRYPT_ANEW = """
            UPDATE {table} SET secrets = :secrets, key_id = :key_id
             WHERE name = :name AND revision = :revision AND key_id = :former
            """;

    private final Queries queries;
    private final DocumentKind kind;
    private final String rows;
    private final Queries.Row<R> row;

    /**
     * A table that is read like this.
     *
     * @param rows selects all of them from a table that it calls d
     */
    public DocumentTable(Queries queries, DocumentKind kind, String rows, Queries.Row<R> row) {
        this.queries = queries;
        this.kind = kind;
        this.rows = rows;
        this.row = row;
    }

    /** A change that makes one something, or nothing because it was not as the change expects it. */
    public interface Change<T> {
        Optional<T> make(Queries.Transaction transaction) throws SQLException;
    }

    DocumentKind kind() {
        return kind;
    }

    public Optional<R> find(String name) {
        return queries.run(
                "looking for " + kind.title() + " " + name, t -> t.first(rows + ONE, Map.of("name", name), row));
    }

    public List<R> all() {
        return queries.run("reading " + kind.title() + "s", t -> t.list(rows + ALL, Map.of(), row));
    }

    /** Those of these names that there are. */
    public List<R> named(Collection<String> names) {
        Map<String, Object> values = Map.of("names", names.toArray(String[]::new));
        return queries.run("reading " + kind.title() + "s", t -> t.list(rows + NAMED, values, row));
    }

    public List<R> page(String after, int limit) {
        return queries.run(
                "listing " + kind.title() + "s", t -> t.list(rows + PAGE, Map.of("after", after, "limit", limit), row));
    }

    /** By one transaction: the change, its entry in the audit, and the count by which all instances learn of it. */
    public <T> Optional<T> change(String name, Change<T> change, Function<T, Act> act, Actor by) {
        return change(List.of(name), change, made -> List.of(act.apply(made)), by);
    }

    /** The same of many. */
    public <T> Optional<T> change(List<String> names, Change<T> change, Function<T, List<Act>> acts, Actor by) {
        String what = names.size() == 1 ? " " + names.get(0) : "s";
        return queries.run("changing " + kind.title() + what, t -> {
            Optional<T> made = change.make(t);
            if (made.isPresent()) {
                Audit.write(t, by, acts.apply(made.get()));
                Changes.countUp(t, kind.topic(), names);
            }
            return made;
        });
    }

    /**
     * The same secrets by another key; nothing if it was changed since it was read. Who had no key for it may have one
     * now, and is told.
     */
    void encryptAnew(StoredDocument before, String formerKeyId, Encrypted secrets) {
        Map<String, Object> values = Map.of(
                "name", before.name(),
                "revision", before.revision(),
                "former", formerKeyId,
                "secrets", secrets.bytes(),
                "key_id", secrets.keyId());
        queries.run("encrypting the secrets of " + kind.title() + " " + before.name() + " anew", t -> {
            int done = t.update(ENCRYPT_ANEW.replace("{table}", kind.table()), values);
            if (done > 0) {
                Changes.countUp(t, kind.topic(), List.of(before.name()));
            }
            return done;
        });
    }
}
