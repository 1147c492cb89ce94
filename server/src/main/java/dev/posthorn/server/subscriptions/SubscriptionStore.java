package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentContent;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentTable;
import dev.posthorn.subscription.Subscription;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps subscriptions and their revisions. */
final class SubscriptionStore {

    private static final String ROWS = """
            SELECT d.name, d.revision, d.document, d.secrets, d.key_id, d.created_at, d.changed_at,
                   d.former_secret, d.former_secret_until,
                   d.deleted_at IS NOT NULL AS deleting, s.id IS NOT NULL AS registered,
                   coalesce(s.paused, false) AS paused, s.pause_reason,
                   {obeyed} AS quiet,
                   w.number IS NOT NULL OR s.revision <> d.revision AS changing
              FROM posthorn.hub_subscription d
              LEFT JOIN posthorn.subscription s ON s.name = d.name
              LEFT JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
            """.replace("{obeyed}", Subscriptions.OBEYED);

    /** Narrow, because all are looked at. */
    private static final String ASTRAY = """
            SELECT d.name FROM posthorn.hub_subscription d LEFT JOIN posthorn.subscription s ON s.name = d.name
             WHERE (s.id IS NULL OR s.revision > d.revision) AND d.deleted_at IS NULL
            """;

    /** Whatever the database's default is: as {@link Subscriptions#register} needs it. */
    static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private static final String OVERDUE =
            ROWS + " WHERE d.former_secret_until <= posthorn.clock() AND d.deleted_at IS NULL";

    private static final String LOCK =
            "SELECT revision FROM posthorn.hub_subscription WHERE name = :name AND deleted_at IS NULL FOR UPDATE";

    private static final String CHANGE = """
            UPDATE posthorn.hub_subscription
               SET revision = revision + 1, document = :document, secrets = :secrets::bytea, key_id = :key_id::text,
                   changed_at = posthorn.clock(), former_secret = :former::text,
                   former_secret_until = CASE
                       WHEN :grace::bigint IS NOT NULL THEN posthorn.clock() + :grace::bigint * interval '1 millisecond'
                       WHEN :former::text IS NOT NULL THEN former_secret_until END
             WHERE name = :name RETURNING revision, former_secret_until
            """;

    private static final String MARK_DELETED = """
            UPDATE posthorn.hub_subscription SET revision = revision + 1, deleted_at = posthorn.clock()
             WHERE name = :name RETURNING revision, former_secret_until
            """;

    private static final String REMEMBER = """
            INSERT INTO posthorn.hub_subscription_revision (name, revision, document, changed_by)
            VALUES (:name, :revision, :document::text, :caller)
            """;

    private static final String REVISIONS = """
            SELECT id, revision, document, changed_by, changed_at FROM posthorn.hub_subscription_revision
             WHERE name = :name AND id < :before ORDER BY id DESC LIMIT :limit
            """;

    private final Queries queries;
    private final DocumentTable<SubscriptionRow> table;
    private final NewSubscriptions fresh;

    SubscriptionStore(Queries queries) {
        this.queries = queries;
        this.table = new DocumentTable<>(queries, DocumentKind.SUBSCRIPTION, ROWS, SubscriptionRow::of);
        this.fresh = new NewSubscriptions(table);
    }

    /** As {@link NewSubscriptions#make}. */
    Optional<Map<String, Long>> make(List<NewSubscriptions.Wanted> all, Actor by) {
        return fresh.make(all, by);
    }

    DocumentTable<SubscriptionRow> table() {
        return table;
    }

    /**
     * Those that are not in the relay's tables, or of which a later revision was asked for there than there is: a fail-over
     * has lost that document.
     */
    List<SubscriptionRow> astray() {
        List<String> names =
                queries.run("looking for lost revisions", t -> t.list(ASTRAY, Map.of(), row -> row.getString("name")));
        return names.isEmpty() ? List.of() : table.named(names);
    }

    /** Those that have a former signing secret whose time is up. */
    List<SubscriptionRow> overdue() {
        return queries.run("looking for former secrets", t -> t.list(OVERDUE, Map.of(), SubscriptionRow::of));
    }

    /**
     * What is to be stored.
     *
     * @param former the mask of the signing secret that a new one has followed; null if there is none
     * @param grace for how long that is to be used from now on; null: until it was to be dropped already
     */
    record Content(
            DocumentContent content,
            @Nullable String former,
            @Nullable Duration grace) {

        private Map<String, @Nullable Object> values(String name) {
            Map<String, @Nullable Object> values = content.values(name);
            values.put("former", former);
            values.put("grace", grace == null ? null : grace.toMillis());
            return values;
        }
    }

    /** What it is then. */
    record Saved(long revision, @Nullable Instant formerSecretUntil) {}

    /**
     * Changes it, remembers the revision, and asks the relay's own tables for it.
     *
     * @return empty if it was not as said
     */
    Optional<Saved> change(
            SubscriptionRow before, Content content, Subscription subscription, DocumentAct act, Actor by) {
        return remembered(
                before,
                CHANGE,
                content.values(act.name()),
                (t, saved) -> Subscriptions.register(t, List.of(subscription.at(saved.revision()))),
                act,
                by);
    }

    /** What else a change means. */
    private interface Consequence {
        void follow(Queries.Transaction transaction, Saved saved) throws SQLException;
    }

    /** Nobody is to serve it from now on. */
    boolean markDeleted(SubscriptionRow before, Actor by) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("name", before.name());
        values.put("document", null);
        DocumentAct act = DocumentAct.delete(DocumentKind.SUBSCRIPTION, before.name());
        return remembered(before, MARK_DELETED, values, (t, saved) -> {}, act, by)
                .isPresent();
    }

    private Optional<Saved> remembered(
            SubscriptionRow before,
            String change,
            Map<String, @Nullable Object> values,
            Consequence consequence,
            DocumentAct act,
            Actor by) {
        DocumentTable.Change<Saved> remembered = t -> {
            t.update(READ_COMMITTED, Map.of());
            if (!isAt(t, before)) {
                return Optional.empty();
            }
            Optional<Saved> saved = t.first(
                    change,
                    values,
                    row -> new Saved(row.getLong("revision"), Queries.timeOrNull(row, "former_secret_until")));
            if (saved.isPresent()) {
                values.put("revision", saved.get().revision());
                values.put("caller", by.name());
                t.update(REMEMBER, values);
                consequence.follow(t, saved.get());
            }
            return saved;
        };
        return table.change(act.name(), remembered, saved -> act.at(saved.revision()), by);
    }

    private static boolean isAt(Queries.Transaction t, SubscriptionRow before) throws SQLException {
        return t.first(LOCK, Map.of("name", before.name()), row -> row.getLong("revision"))
                .filter(found -> found == before.revision())
                .isPresent();
    }

    /** Pauses or resumes it, unless it is so already; false if it is not in the relay's tables. */
    boolean setPaused(SubscriptionRow row, boolean paused, @Nullable String reason, Actor by) {
        String why = Requests.optional("reason", reason, Requests.MAX_TEXT);
        return queries.run((paused ? "pausing " : "resuming ") + row.name(), t -> {
            Optional<Boolean> differs = Subscriptions.setPaused(t, row.name(), paused);
            if (differs.orElse(false)) {
                DocumentAct act = paused ? SubscriptionActs.pause(row.name()) : SubscriptionActs.resume(row.name());
                Audit.write(t, by, act.at(row.revision(), why));
            }
            return differs.isPresent();
        });
    }

    /** Writes down what is done about a test, which changes nothing here. */
    void audit(SubscriptionRow row, DocumentAct act, Actor by) {
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
}
