package dev.posthorn.benchmarks.log;

import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/** The reference for recording: the same columns in a table of one's own, by a plain INSERT or a JDBC batch. */
public final class PlainTable implements Write.Recording {

    static final String CREATE = """
            CREATE TABLE plain_event (
                txid           xid8        NOT NULL DEFAULT pg_current_xact_id(),
                seq            bigserial   NOT NULL,
                id             uuid        PRIMARY KEY,
                source_id      text,
                source         text        NOT NULL,
                type           text        NOT NULL,
                version        integer     NOT NULL,
                aggregate_type text,
                key            text,
                content_type   text        NOT NULL,
                payload        bytea       NOT NULL,
                headers        jsonb,
                occurred_at    timestamptz NOT NULL DEFAULT now(),
                created_at     timestamptz NOT NULL DEFAULT now(),
                deliver_at     timestamptz)
            """;

    /** One line of values, so that the driver can make one INSERT of a batch. */
    private static final String INSERT =
            "INSERT INTO plain_event (id, source_id, source, type, version, aggregate_type, key, content_type, payload,"
                    + " headers, deliver_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    @Override
    public void write(Connection connection, List<Event> events) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            if (events.size() == 1) {
                bind(insert, events.get(0));
                insert.executeUpdate();
                return;
            }
            for (Event event : events) {
                bind(insert, event);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static void bind(PreparedStatement insert, Event event) throws SQLException {
        bindFields(insert, event);
        insert.setNull(11, Types.TIMESTAMP_WITH_TIMEZONE);
    }

    /** The first ten columns, as every table of ours for comparison has them. */
    public static void bindFields(PreparedStatement insert, Event event) throws SQLException {
        insert.setObject(1, event.id());
        insert.setString(2, event.sourceId());
        insert.setString(3, event.source());
        insert.setString(4, event.type());
        insert.setInt(5, event.version());
        insert.setString(6, event.aggregateType());
        insert.setString(7, event.key());
        insert.setString(8, event.contentType());
        insert.setBytes(9, event.payload());
        insert.setNull(10, Types.OTHER);
    }
}
