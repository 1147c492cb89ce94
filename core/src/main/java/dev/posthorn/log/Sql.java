package dev.posthorn.log;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A statement with named values ({@code :name}), so that a text block reads like what it does. Values are only ever bound. */
public final class Sql {

    /** A colon and a name, but not the second colon of a cast. */
    private static final Pattern VALUE = Pattern.compile("(?<![:\\w]):([a-z_]+)");

    private final String text;
    private final List<String> names;

    private Sql(String text, List<String> names) {
        this.text = text;
        this.names = names;
    }

    public static Sql of(SchemaName schema, String sql) {
        List<String> names = new ArrayList<>();
        String text = VALUE.matcher(schema.apply(sql)).replaceAll(found -> {
            names.add(found.group(1));
            return Matcher.quoteReplacement("?");
        });
        return new Sql(text, List.copyOf(names));
    }

    /** The statement as JDBC takes it. */
    public String text() {
        return text;
    }

    /** The names of its values, in order. */
    List<String> names() {
        return names;
    }

    public PreparedStatement prepare(Connection connection, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text);
        try {
            bind(statement, values);
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    public void bind(PreparedStatement statement, Map<String, ? extends @Nullable Object> values) throws SQLException {
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Object value = values.get(name);
            if (value == null && !values.containsKey(name)) {
                throw new IllegalArgumentException("no value for :" + name + " in " + text);
            }
            bind(statement, i + 1, value);
        }
    }

    private static void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        if (value == null) {
            statement.setNull(index, Types.NULL);
        } else if (value instanceof Instant instant) {
            statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
        } else if (value instanceof Snapshot snapshot) {
            statement.setString(index, snapshot.text());
        } else if (value instanceof String[] texts) {
            statement.setArray(index, statement.getConnection().createArrayOf("text", texts));
        } else if (value instanceof Long[] numbers) {
            statement.setArray(index, statement.getConnection().createArrayOf("bigint", numbers));
        } else {
            statement.setObject(index, value);
        }
    }
}
