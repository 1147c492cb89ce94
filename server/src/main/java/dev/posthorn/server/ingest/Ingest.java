package dev.posthorn.server.ingest;

import dev.posthorn.Outbox;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.server.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Records events that came over the network: all of a call in one transaction, or none. */
public final class Ingest {

    private final Database database;
    private final Outbox outbox;

    public Ingest(Database database, Outbox outbox) {
        this.database = database;
        this.outbox = outbox;
    }

    /** Records them in the order given, and tells of each, in that order, whether it was there before. */
    public List<Recorded> record(List<Event> events) {
        database.requireReady();
        try (Connection connection = database.calls().getConnection()) {
            connection.setAutoCommit(false);
            outbox.record(connection, events);
            connection.commit();
            return events.stream().map(event -> new Recorded(event, false)).toList();
        } catch (SQLException e) {
            throw PosthornException.database("recording events", e);
        }
    }
}
