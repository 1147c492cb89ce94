package dev.posthorn.log;

import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads events as a connection sees them, its own uncommitted ones among them. For looking, not for relaying. */
public final class EventReader {

    private static final String AFTER =
            "SELECT {columns} FROM posthorn.event WHERE seq > :after ORDER BY seq LIMIT :limit";

    private final Sql after;

    public EventReader(SchemaName schema) {
        this.after = Sql.of(schema, AFTER.replace("{columns}", EventRow.COLUMNS));
    }

    /** The events after the given seq, in order of seq. */
    public List<RecordedEvent> after(Connection connection, long seq, int limit) {
        try (PreparedStatement statement = after.prepare(connection, Map.of("after", seq, "limit", limit));
                ResultSet rows = statement.executeQuery()) {
            List<RecordedEvent> events = new ArrayList<>();
            while (rows.next()) {
                events.add(EventRow.read(rows));
            }
            return events;
        } catch (SQLException e) {
            throw PosthornException.database("reading events", e);
        }
    }
}
