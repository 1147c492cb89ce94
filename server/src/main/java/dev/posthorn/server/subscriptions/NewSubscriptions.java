package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentContent;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentTable;
import dev.posthorn.server.secrets.Encrypted;
import dev.posthorn.subscription.Subscription;
import java.io.Serial;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes subscriptions, one or a thousand, by the same few statements: all of them, or none. */
final class NewSubscriptions {

    /** Revisions count on over a deletion, so that none ever means two things. */
    private static final String MAKE = """
            WITH made AS (
                INSERT INTO posthorn.hub_subscription (name, revision, document, secrets, key_id)
                SELECT asked.name,
                       1 + coalesce((SELECT max(r.revision) FROM posthorn.hub_subscription_revision r
                                      WHERE r.name = asked.name), 0),
                       asked.document, decode(asked.secrets, 'hex'), asked.key_id
                  FROM unnest(:names::text[], :documents::text[], :secrets::text[], :key_ids::text[])
                           AS asked (name, document, secrets, key_id)
                 ORDER BY asked.name COLLATE "C"
                    ON CONFLICT (name) DO NOTHING RETURNING name, revision, document),
            remembered AS (
                INSERT INTO posthorn.hub_subscription_revision (name, revision, document, changed_by)
                SELECT name, revision, document, :caller FROM made)
            SELECT name, revision FROM made
            """;

    private final DocumentTable<SubscriptionRow> table;

    NewSubscriptions(DocumentTable<SubscriptionRow> table) {
        this.table = table;
    }

    /** One that is not there yet. */
    record Wanted(DocumentContent content, Subscription subscription) {

        private String name() {
            return subscription.name();
        }

        private @Nullable String secrets() {
            Encrypted secrets = content.secrets();
            return secrets == null ? null : HexFormat.of().formatHex(secrets.bytes());
        }

        private @Nullable String keyId() {
            Encrypted secrets = content.secrets();
            return secrets == null ? null : secrets.keyId();
        }
    }

    /** One of them is there by now: of the others nothing stays. */
    private static final class OvertakenException extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        OvertakenException() {
            super("somebody else was first", null, false, false);
        }
    }

    /**
     * Stores them with their revisions and puts them into the relay's own tables: whatever is recorded after this is
     * delivered to them.
     *
     * @return the revision of each by its name; empty if one of them is there already
     */
    Optional<Map<String, Long>> make(List<Wanted> all, Actor by) {
        try {
            return table.change(
                    all.stream().map(Wanted::name).toList(),
                    t -> Optional.of(made(t, all, by)),
                    revisions -> all.stream().map(each -> act(each, revisions)).toList(),
                    by);
        } catch (OvertakenException e) {
            return Optional.empty();
        }
    }

    private static Act act(Wanted made, Map<String, Long> revisions) {
        return DocumentAct.create(DocumentKind.SUBSCRIPTION, made.name(), made.content())
                .at(Objects.requireNonNull(revisions.get(made.name())));
    }

    private static Map<String, Long> made(Queries.Transaction t, List<Wanted> all, Actor by) throws SQLException {
        t.update(SubscriptionStore.READ_COMMITTED, Map.of());
        Map<String, Long> revisions = new HashMap<>();
        t.list(MAKE, values(all, by), row -> revisions.put(row.getString("name"), row.getLong("revision")) == null);
        if (revisions.size() < all.size()) {
            throw new OvertakenException();
        }
        Subscriptions.register(
                t,
                all.stream()
                        .map(each -> each.subscription().at(Objects.requireNonNull(revisions.get(each.name()))))
                        .toList());
        return revisions;
    }

    private static Map<String, Object> values(List<Wanted> all, Actor by) {
        return Map.of(
                "names", texts(all, Wanted::name),
                "documents", texts(all, each -> each.content().document()),
                "secrets", texts(all, Wanted::secrets),
                "key_ids", texts(all, Wanted::keyId),
                "caller", by.name());
    }

    private static @Nullable String[] texts(List<Wanted> all, Function<Wanted, @Nullable String> part) {
        return all.stream().map(part).toArray(String[]::new);
    }
}
