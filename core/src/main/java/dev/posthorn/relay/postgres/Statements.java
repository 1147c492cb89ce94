package dev.posthorn.relay.postgres;

import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Statements of one session, or of one transaction, by their text, each parsed once. */
final class Statements {

    private final SchemaName schema;
    private final Preparing preparing;
    private final Map<String, Sql> parsed = new HashMap<>();

    /** Run inside the session's transactions. */
    Statements(Session session) {
        this(session.schema(), session::prepare);
    }

    private Statements(SchemaName schema, Preparing preparing) {
        this.schema = schema;
        this.preparing = preparing;
    }

    /** Those of one transaction, which closes them with its connection. */
    static Statements ofTransaction(SchemaName schema) {
        Map<Sql, PreparedStatement> prepared = new HashMap<>();
        return new Statements(schema, (connection, sql, values) -> {
            PreparedStatement statement = prepared.get(sql);
            if (statement == null) {
                statement = connection.prepareStatement(sql.text());
                prepared.put(sql, statement);
            }
            sql.bind(statement, values);
            return statement;
        });
    }

    /** How a statement comes to its values. */
    private interface Preparing {
        PreparedStatement prepare(Connection open, Sql sql, Map<String, ? extends @Nullable Object> values)
                throws SQLException;
    }

    Sql sql(String text) {
        return parsed.computeIfAbsent(text, t -> Sql.of(schema, t));
    }

    void execute(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        preparing.prepare(connection, sql(text), values).execute();
    }

    boolean isTrue(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        return query(connection, text, values, row -> row.next() && row.getBoolean(1));
    }

    @Nullable
    Long number(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        try (ResultSet row = preparing.prepare(connection, sql(text), values).executeQuery()) {
            return row.next() ? row.getLong(1) : null;
        }
    }

    <T extends @Nullable Object> T query(
            Connection connection,
            String text,
            Map<String, ? extends @Nullable Object> values,
            Session.Reading<T> reading)
            throws SQLException {
        try (ResultSet rows = preparing.prepare(connection, sql(text), values).executeQuery()) {
            return reading.from(rows);
        }
    }
}
