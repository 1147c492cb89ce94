package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.secrets.Encrypted;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps subscriptions and their revisions. */
final class SubscriptionStore {

    private static final String ROWS = """
            SELECT h.name, h.revision, h.document, h.secrets, h.key_id, h.created_at, h.changed_at,
                   h.deleted_at IS NOT NULL AS deleting, s.id IS NOT NULL AS registered,
                   coalesce(s.paused, false) AS paused, s.pause_reason,
                   NOT EXISTS (SELECT FROM posthorn.instance i
                                WHERE i.subscription_id = s.id AND i.expires_at > posthorn.clock() AND NOT i.quiet)
                       AS quiet,
                   w.number IS NOT NULL OR s.revision <> h.revision AS changing
              FROM posthorn.hub_subscription h
              LEFT JOIN posthorn.subscription s ON s.name = h.name COLLATE "C"
              LEFT JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
            """;

    private static final String ONE = ROWS + " WHERE h.name = :name";

    private static final String ALL = ROWS + " ORDER BY h.name";

    private static final String PAGE = ROWS + " WHERE h.name > :after ORDER BY h.name LIMIT :limit";

    private static final String OUTLIVED = ROWS + " WHERE s.revision > h.revision AND h.deleted_at IS NULL";

    private static final String LOCK =
            "SELECT revision FROM posthorn.hub_subscription WHERE name = :name AND deleted_at IS NULL FOR UPDATE";

    private static final String IS_TAKEN = """
            SELECT 1 FROM posthorn.subscription s
             WHERE s.name = :name
               AND NOT EXISTS (SELECT FROM posthorn.hub_subscription h WHERE h.name = :name)
            """;

    /** Revisions count on over a deletion, so that none ever means two things. */
    private static final String MAKE = """
            INSERT INTO posthorn.hub_subscription (name, revision, document, secrets, key_id)
            VALUES (:name,
                    1 + coalesce((SELECT max(revision) FROM posthorn.hub_subscription_revision WHERE name = :name), 0),
                    :document, :secrets::bytea, :key_id::text)
                ON CONFLICT (name) DO NOTHING RETURNING revision
            """;

    private static final String CHANGE = """
            UPDATE posthorn.hub_subscription
               SET revision = revision + 1, document = :document, secrets = :secrets::bytea, key_id = :key_id::text,
                   changed_at = posthorn.clock()
             WHERE name = :name RETURNING revision
            """;

    private static final String MARK_DELETED = """
            UPDATE posthorn.hub_subscription SET revision = revision + 1, deleted_at = posthorn.clock()
             WHERE name = :name RETURNING revision
            """;

    private static final String REMEMBER = """
            INSERT INTO posthorn.hub_subscription_revision (name, revision, document, changed_by)
            VALUES (:name, :revision, :document::text, :caller)
            """;

    private static final String REVISIONS = """
            SELECT id, revision, document, changed_by, changed_at FROM posthorn.hub_subscription_revision
             WHERE name = :name AND id < :before ORDER BY id DESC LIMIT :limit
            """;

    private static final String ENCRYPT_ANEW = """
            UPDATE posthorn.hub_subscription SET secrets = :secrets, key_id = :key_id
             WHERE name = :name AND revision = :revision AND key_id = :former
            """;

    private final Queries queries;

    SubscriptionStore(Queries queries) {
        this.queries = queries;
    }

    Optional<Row> find(String name) {
        return queries.run("looking for subscription " + name, t -> t.first(ONE, Map.of("name", name), Row::of));
    }

    List<Row> all() {
        return queries.run("reading subscriptions", t -> t.list(ALL, Map.of(), Row::of));
    }

    /** Those of which a later revision was asked for than there is: a fail-over has lost that document. */
    List<Row> outlived() {
        return queries.run("looking for lost revisions", t -> t.list(OUTLIVED, Map.of(), Row::of));
    }

    List<Row> page(String after, int limit) {
        return queries.run("listing subscriptions", t -> t.list(PAGE, Map.of("after", after, "limit", limit), Row::of));
    }

    /** Whether somebody else's relay has a subscription of that name in this database. */
    boolean isTaken(String name) {
        return queries.run(
                "looking whether " + name + " is free",
                t -> t.first(IS_TAKEN, Map.of("name", name), row -> true).isPresent());
    }

    /**
     * Makes or changes it and remembers the revision.
     *
     * @param before the revision that it is now; null if it is to be new
     * @param changed the fields that are no longer as they were, for the audit
     * @return the revision that it is then; empty if it was not as said
     */
    Optional<Long> save(
            String name,
            @Nullable Long before,
            String document,
            @Nullable Encrypted secrets,
            List<String> changed,
            Actor by) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("name", name);
        values.put("document", document);
        values.put("secrets", secrets == null ? null : secrets.bytes());
        values.put("key_id", secrets == null ? null : secrets.keyId());
        return queries.run("storing subscription " + name, t -> {
            if (before == null) {
                return remembered(t, MAKE, values, by, SubscriptionAct.create(name, document));
            }
            return isAt(t, name, before)
                    ? remembered(t, CHANGE, values, by, SubscriptionAct.change(name, document, changed))
                    : Optional.empty();
        });
    }

    /** Nobody is to serve it from now on. */
    Optional<Long> markDeleted(String name, long before, Actor by) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("name", name);
        values.put("document", null);
        return queries.run(
                "deleting subscription " + name,
                t -> isAt(t, name, before)
                        ? remembered(t, MARK_DELETED, values, by, SubscriptionAct.delete(name))
                        : Optional.empty());
    }

    private static boolean isAt(Queries.Transaction t, String name, long revision) throws SQLException {
        return t.first(LOCK, Map.of("name", name), row -> row.getLong("revision"))
                .filter(found -> found == revision)
                .isPresent();
    }

    private static Optional<Long> remembered(
            Queries.Transaction t, String change, Map<String, @Nullable Object> values, Actor by, SubscriptionAct act)
            throws SQLException {
        Optional<Long> revision = t.first(change, values, row -> row.getLong("revision"));
        if (revision.isPresent()) {
            values.put("revision", revision.get());
            values.put("caller", by.name());
            t.update(REMEMBER, values);
            Audit.write(t, by, act.at(revision.get()));
            Changes.countUp(t, Changes.Topic.SUBSCRIPTIONS);
        }
        return revision;
    }

    /** Pauses or resumes it, unless it is so already; false if it is not in the relay's tables. */
    boolean setPaused(Row row, boolean paused, Actor by) {
        return queries.run((paused ? "pausing " : "resuming ") + row.name(), t -> {
            Optional<Boolean> differs = Subscriptions.setPaused(t, row.name(), paused);
            if (differs.orElse(false)) {
                SubscriptionAct act = paused ? SubscriptionAct.pause(row.name()) : SubscriptionAct.resume(row.name());
                Audit.write(t, by, act.at(row.revision()));
            }
            return differs.isPresent();
        });
    }

    /** Writes down what is done about a test, which changes nothing here. */
    void audit(Row row, SubscriptionAct act, Actor by) {
        queries.run("writing down a test of " + row.name(), t -> {
            Audit.write(t, by, act.at(row.revision()));
            return true;
        });
    }

    /** The newest first. */
    List<Revision> revisions(String name, long before, int limit) {
        Map<String, Object> values = Map.of("name", name, "before", before, "limit", limit);
        return queries.run(
                "reading revisions of " + name,
                t -> t.list(
                        REVISIONS,
                        values,
                        row -> new Revision(
                                row.getLong("id"),
                                row.getLong("revision"),
                                row.getString("document"),
                                row.getString("changed_by"),
                                Queries.time(row, "changed_at"))));
    }

    /** The same secrets by another key; nothing if it was changed since it was read. */
    void encryptAnew(Row row, String formerKeyId, Encrypted secrets) {
        Map<String, Object> values = Map.of(
                "name", row.name(),
                "revision", row.revision(),
                "former", formerKeyId,
                "secrets", secrets.bytes(),
                "key_id", secrets.keyId());
        queries.run("encrypting the secrets of " + row.name() + " anew", t -> t.update(ENCRYPT_ANEW, values));
    }
}
