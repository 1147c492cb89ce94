package dev.posthorn.server;

import dev.posthorn.event.Event;
import dev.posthorn.server.database.Database;
import dev.posthorn.testing.RecordedEvents;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What a hub has in its log. */
public final class RecordedAtHub {

    private RecordedAtHub() {}

    public static List<Event> all(TestHub hub) {
        Database database = hub.bean(Database.class);
        try (Connection connection = database.direct().getConnection()) {
            return RecordedEvents.in(connection, database.schema()).events();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The one event that has this id, be it a UUID or the source's own. */
    public static Event byId(TestHub hub, String id) {
        List<Event> found = all(hub).stream()
                .filter(event ->
                        id.equals(event.sourceId()) || id.equals(event.id().toString()))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError("expected one event with the id " + id + ", found " + found);
        }
        return found.get(0);
    }
}
