package dev.posthorn.inbox;

import dev.posthorn.event.Event;
import java.sql.Connection;
import java.util.List;

/** What a consumer does about many events in one transaction, those of a key in their order. */
@FunctionalInterface
public interface BatchHandler {

    /**
     * As {@link Handler#handle}. If it throws, all of them are rolled back and come again one by one, so that the one that
     * cannot be handled is known.
     */
    void handle(Connection connection, List<Event> events) throws Exception;
}
