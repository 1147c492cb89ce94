package dev.posthorn.server.subscriptions;

import dev.posthorn.log.Queries;
import dev.posthorn.server.secrets.Encrypted;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as it is stored.
 *
 * @param document with masks in place of its secrets
 * @param secrets null if it has none
 * @param registered whether it stands in the relay's own tables
 * @param quiet whether no instance that serves it sends anything until it is resumed
 * @param changing whether its filter or number of lanes is to change as soon as all lanes are ready for it, or may be:
 *     what this revision says was not asked for yet, or was overruled by one that a fail-over has lost
 */
record Row(
        String name,
        long revision,
        String document,
        @Nullable Encrypted secrets,
        Instant createdAt,
        Instant changedAt,
        boolean deleting,
        boolean registered,
        boolean paused,
        @Nullable String pauseReason,
        boolean quiet,
        boolean changing) {

    static Row of(ResultSet row) throws SQLException {
        return new Row(
                row.getString("name"),
                row.getLong("revision"),
                row.getString("document"),
                encrypted(row),
                Queries.time(row, "created_at"),
                Queries.time(row, "changed_at"),
                row.getBoolean("deleting"),
                row.getBoolean("registered"),
                row.getBoolean("paused"),
                row.getString("pause_reason"),
                row.getBoolean("quiet"),
                row.getBoolean("changing"));
    }

    private static @Nullable Encrypted encrypted(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes("secrets");
        return bytes == null ? null : new Encrypted(bytes, String.valueOf(row.getString("key_id")));
    }
}
