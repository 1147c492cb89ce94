package dev.posthorn.relay.postgres;

import dev.posthorn.log.Session;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Statements of one session by their text, each parsed once; run inside its transactions. */
final class Statements {

    private final Session session;
    private final Map<String, Sql> parsed = new HashMap<>();

    Statements(Session session) {
        this.session = session;
    }

    Sql sql(String text) {
        return parsed.computeIfAbsent(text, t -> Sql.of(session.schema(), t));
    }

    void execute(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        session.prepare(connection, sql(text), values).execute();
    }

    boolean isTrue(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        return query(connection, text, values, row -> row.next() && row.getBoolean(1));
    }

    @Nullable
    Long number(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        try (ResultSet row = session.prepare(connection, sql(text), values).executeQuery()) {
            return row.next() ? row.getLong(1) : null;
        }
    }

    <T extends @Nullable Object> T query(
            Connection connection,
            String text,
            Map<String, ? extends @Nullable Object> values,
            Session.Reading<T> reading)
            throws SQLException {
        try (ResultSet rows = session.prepare(connection, sql(text), values).executeQuery()) {
            return reading.from(rows);
        }
    }
}
