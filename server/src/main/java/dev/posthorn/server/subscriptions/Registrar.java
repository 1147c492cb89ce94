package dev.posthorn.server.subscriptions;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.subscription.Subscription;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts subscriptions into the relay's own tables and takes them out of there. Both happen while the row of the
 * subscription is locked: otherwise one that was changed and deleted at the same time could be put back by the change,
 * and would stay there, served by nobody, and hold the log for ever.
 */
final class Registrar {

    private static final Logger log = LoggerFactory.getLogger(Registrar.class);

    private static final String LOCK_IF_LIVING = """
            SELECT 1 FROM posthorn.hub_subscription
             WHERE name = :name AND revision = :revision AND deleted_at IS NULL FOR UPDATE
            """;

    /**
     * While the document is locked nobody asks for a later revision of it, unless for one that a fail-over has lost. To
     * the one before, so that it counts as changing until this one was asked for.
     */
    private static final String FORGET_LATER = """
            UPDATE posthorn.subscription SET revision = :revision - 1 WHERE name = :name AND revision > :revision
            """;

    private static final String LOCK_IF_DELETED = """
            SELECT 1 FROM posthorn.hub_subscription WHERE name = :name AND deleted_at IS NOT NULL
               FOR UPDATE SKIP LOCKED
            """;

    private static final String IS_THERE =
            "SELECT 1 FROM posthorn.hub_subscription WHERE name = :name AND deleted_at IS NOT NULL";

    /** Whatever the database's default is: as {@link Subscriptions} needs it. */
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private static final String REMOVE = "DELETE FROM posthorn.hub_subscription WHERE name = :name";

    private final Queries queries;

    Registrar(Queries queries) {
        this.queries = queries;
    }

    /**
     * Has the relay's tables say what the document does: puts it there, or asks for it even if a later revision was asked
     * for. Does nothing if it is no longer at its revision.
     */
    void put(Subscription subscription) {
        Map<String, Object> values = Map.of("name", subscription.name(), "revision", subscription.revision());
        queries.run("registering subscription " + subscription.name(), t -> {
            t.update(READ_COMMITTED, Map.of());
            boolean current = t.first(LOCK_IF_LIVING, values, row -> true).isPresent();
            if (current) {
                if (t.update(FORGET_LATER, values) > 0) {
                    log.warn(
                            "Subscription {}: a later revision was asked for than there is, which a fail-over has lost;"
                                    + " asking for revision {}",
                            subscription.name(),
                            subscription.revision());
                }
                Subscriptions.register(t, List.of(subscription));
            }
            return current;
        });
    }

    /**
     * Removes one that is marked as deleted; false while an instance serves it, or another one removes it. Whoever deleted
     * it is in the audit since it was marked.
     */
    boolean remove(String name) {
        Map<String, String> values = Map.of("name", name);
        return queries.run("removing subscription " + name, t -> {
            t.update(READ_COMMITTED, Map.of());
            if (t.first(LOCK_IF_DELETED, values, row -> true).isEmpty()) {
                return t.first(IS_THERE, values, row -> true).isEmpty();
            }
            if (isServed(t, name)) {
                return false;
            }
            t.update(REMOVE, values);
            log.info("Subscription {}: removed", name);
            return true;
        });
    }

    private static boolean isServed(Queries.Transaction t, String name) throws SQLException {
        try {
            Subscriptions.delete(t, name);
            return false;
        } catch (PosthornException e) {
            if (e.code() != ErrorCode.CONFLICT) {
                throw e;
            }
            return true;
        }
    }
}
