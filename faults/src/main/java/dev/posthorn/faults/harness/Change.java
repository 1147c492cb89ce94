package dev.posthorn.faults.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * A change of an aggregate, as its event tells it. Committed counters of an aggregate are 1, 2, 3 … without a gap, since
 * a rollback takes the counter back too: so a reader that skips one shows it with the very next event.
 *
 * @param id of the event
 */
public record Change(UUID id, String aggregate, long counter) {

    public static Event event(int aggregate, long counter) {
        String key = "aggregate-" + aggregate;
        return Event.builder()
                .source("faults")
                .type("aggregate.changed")
                .key(key)
                .payload((key + " " + counter).getBytes(UTF_8))
                .build();
    }

    public static Change of(Event event) {
        return of(event.id(), event.payload());
    }

    /** All that are in the log, as they were recorded. */
    public static List<Change> recorded(DataSource database) throws SQLException {
        return read(database, "SELECT id, payload FROM posthorn.event ORDER BY seq");
    }

    /** What a query finds whose columns are an event's id and its payload. */
    public static List<Change> read(DataSource database, String query, String... values) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<Change> changes = new ArrayList<>();
                while (rows.next()) {
                    changes.add(of(rows.getObject(1, UUID.class), rows.getBytes(2)));
                }
                return changes;
            }
        }
    }

    public static Change of(UUID id, byte[] payload) {
        String text = new String(payload, UTF_8);
        int space = text.indexOf(' ');
        return new Change(id, text.substring(0, space), Long.parseLong(text.substring(space + 1)));
    }
}
