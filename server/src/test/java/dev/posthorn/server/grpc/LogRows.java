package dev.posthorn.server.grpc;

import com.google.protobuf.ByteString;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** What stands in a hub's log. */
final class LogRows {

    private static final String ROWS = """
            SELECT type, source, version, aggregate_type, key, content_type, payload, headers::text AS headers, occurred_at,
                   deliver_at
              FROM posthorn.event
             WHERE id = ? OR source_id = ?
            """;

    private final DataSource database;

    LogRows(TestHub hub) {
        this.database = hub.bean(Database.class).direct();
    }

    record Row(
            String type,
            String source,
            int version,
            String aggregateType,
            String key,
            String contentType,
            ByteString payload,
            String headers,
            Instant occurredAt,
            Instant deliverAt) {}

    Row byId(UUID id) {
        return only(rows(id, null));
    }

    Row bySourceId(String id) {
        return only(rows(null, id));
    }

    int countOf(String sourceId) {
        return rows(null, sourceId).size();
    }

    private static Row only(List<Row> rows) {
        if (rows.size() != 1) {
            throw new AssertionError("expected one row, found " + rows.size());
        }
        return rows.get(0);
    }

    private List<Row> rows(UUID id, String sourceId) {
        try (Connection connection = database.getConnection();
                PreparedStatement select = connection.prepareStatement(ROWS)) {
            select.setObject(1, id);
            select.setString(2, sourceId);
            List<Row> rows = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows.add(row(row));
                }
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Row row(ResultSet row) throws SQLException {
        return new Row(
                row.getString("type"),
                row.getString("source"),
                row.getInt("version"),
                row.getString("aggregate_type"),
                row.getString("key"),
                row.getString("content_type"),
                ByteString.copyFrom(row.getBytes("payload")),
                row.getString("headers"),
                time(row, "occurred_at"),
                time(row, "deliver_at"));
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
