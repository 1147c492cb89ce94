package dev.posthorn.server.documents;

import dev.posthorn.log.Queries;
import dev.posthorn.server.secrets.Encrypted;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A document as it is stored.
 *
 * @param document with masks in place of its secrets
 * @param secrets null if it has none
 */
public record StoredDocument(
        String name,
        long revision,
        String document,
        @Nullable Encrypted secrets,
        Instant createdAt,
        Instant changedAt) implements NamedDocument {

    public static StoredDocument of(ResultSet row) throws SQLException {
        byte[] secrets = row.getBytes("secrets");
        return new StoredDocument(
                row.getString("name"),
                row.getLong("revision"),
                row.getString("document"),
                secrets == null ? null : new Encrypted(secrets, String.valueOf(row.getString("key_id"))),
                Queries.time(row, "created_at"),
                Queries.time(row, "changed_at"));
    }
}
