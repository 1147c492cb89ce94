package dev.posthorn.spring;

import dev.posthorn.event.Event;
import java.util.List;
import java.util.UUID;

/**
 * Records events in the current Spring transaction: they become deliverable with its commit and vanish with its rollback.
 *
 * <p>Events are checked at once and written just before the commit, after what JPA has not flushed yet, all of a
 * transaction with one statement. By then the transaction holds the locks on the rows that it has changed, so the events of
 * one aggregate are written in the order of the commits.
 */
public interface Outbox {

    /**
     * Records one event and returns its id.
     *
     * @throws NoTransactionException if there is no transaction of the outbox's data source that can be written in
     */
    UUID record(Event event);

    /** Records many events, in the order given, and returns their ids. */
    List<UUID> record(List<Event> events);

    /** Records an instance of a class that is annotated with {@link OutboxEvent}, and returns the event's id. */
    UUID record(Object annotatedEvent);
}
