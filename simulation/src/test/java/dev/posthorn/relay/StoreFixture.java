package dev.posthorn.relay;

import dev.posthorn.event.Event;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Guards;
import dev.posthorn.log.LaneScope;
import java.time.Duration;
import java.time.Instant;

/** A database behind the relay's ports, with writers and people around it. */
interface StoreFixture extends AutoCloseable {

    Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** A transaction of a writer; its number is of no meaning but here. */
    int begin();

    long insert(int transaction, Event event);

    void commit(int transaction);

    void rollback(int transaction);

    EventLog log(LaneScope scope);

    LeaseStore leases(String instance);

    LaneStore lane(LaneGrant grant, Guards guards);

    void command(long subscriptionId, Command.Kind kind, long seq);

    void pause(String subscription, boolean paused);

    void advance(Duration time);

    /** How many attempts are on record for the event. */
    long attempts(long seq);

    @Override
    void close();
}
