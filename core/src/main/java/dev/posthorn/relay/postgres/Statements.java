package dev.posthorn.relay.postgres;

import dev.posthorn.error.Outage;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Statements of one session, or of one transaction, by their text, each parsed once. */
final class Statements {

    private final Function<String, Sql> parsing;
    private final Preparing preparing;

    /** Run inside the session's transactions. */
    Statements(Session session) {
        this(session::sql, session::prepare);
    }

    private Statements(Function<String, Sql> parsing, Preparing preparing) {
        this.parsing = parsing;
        this.preparing = preparing;
    }

    /** Those of one transaction, which closes them with its connection. */
    static Statements ofTransaction(SchemaName schema) {
        Map<String, Sql> parsed = new HashMap<>();
        Map<Sql, PreparedStatement> prepared = new HashMap<>();
        return new Statements(
                text -> parsed.computeIfAbsent(text, t -> Sql.of(schema, t)), (connection, sql, values) -> {
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
        return parsing.apply(text);
    }

    void execute(Connection connection, String text, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        preparing.prepare(connection, sql(text), values).execute();
    }

    /** The same statement for many, in one go. */
    void executeAll(Connection connection, String text, List<? extends Map<String, ? extends @Nullable Object>> all)
            throws SQLException {
        PreparedStatement statement = null;
        for (Map<String, ? extends @Nullable Object> values : all) {
            statement = preparing.prepare(connection, sql(text), values);
            statement.addBatch();
        }
        if (statement != null) {
            statement.executeBatch();
        }
    }

    /**
     * Something inside a transaction that goes on without it if the database refuses it: what is wrong with one
     * subscription concerns no other. Tells whether it was done; else what was said of it is among the refused.
     */
    boolean attempt(Connection connection, String what, Work work, List<PosthornException> refused)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            work.run();
            connection.releaseSavepoint(before);
            return true;
        } catch (SQLException e) {
            if (Outage.isOneOrCancelled(e)) {
                throw e;
            }
            connection.rollback(before);
            refused.add(PosthornException.database(what, e));
            return false;
        }
    }

    interface Work {
        void run() throws SQLException;
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
