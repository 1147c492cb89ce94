package dev.posthorn.server.subscriptions;

import dev.posthorn.log.Queries;
import dev.posthorn.server.documents.NamedDocument;
import dev.posthorn.server.documents.StoredDocument;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as it is stored.
 *
 * @param formerSecret the mask of the signing secret that a new one has followed; null if there is none
 * @param formerSecretUntil when that is dropped
 * @param registered whether it stands in the relay's own tables
 * @param quiet whether no instance that serves it sends anything until it is resumed
 * @param changing whether its filter or number of lanes is to change as soon as all lanes are ready for it, or may be:
 *     what this revision says was not asked for yet, or was overruled by one that a fail-over has lost
 */
record SubscriptionRow(
        StoredDocument stored,
        @Nullable String formerSecret,
        @Nullable Instant formerSecretUntil,
        boolean deleting,
        boolean registered,
        boolean paused,
        @Nullable String pauseReason,
        boolean quiet,
        boolean changing)
        implements NamedDocument {

    static SubscriptionRow of(ResultSet row) throws SQLException {
        return new SubscriptionRow(
                StoredDocument.of(row),
                row.getString("former_secret"),
                Queries.timeOrNull(row, "former_secret_until"),
                row.getBoolean("deleting"),
                row.getBoolean("registered"),
                row.getBoolean("paused"),
                row.getString("pause_reason"),
                row.getBoolean("quiet"),
                row.getBoolean("changing"));
    }

    @Override
    public String name() {
        return stored.name();
    }

    @Override
    public long revision() {
        return stored.revision();
    }

    String document() {
        return stored.document();
    }

    Instant changedAt() {
        return stored.changedAt();
    }
}
