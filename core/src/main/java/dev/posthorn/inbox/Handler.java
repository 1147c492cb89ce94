package dev.posthorn.inbox;

import dev.posthorn.event.Event;
import java.sql.Connection;

/** What a consumer does about one event. Called from several threads, for events of different keys. */
@FunctionalInterface
public interface Handler {

    /**
     * Has the effect in the transaction of the event's inbox entry: neither commits nor rolls back. What it throws is a
     * failed attempt and rolls the transaction back.
     */
    void handle(Connection connection, Event event) throws Exception;
}
