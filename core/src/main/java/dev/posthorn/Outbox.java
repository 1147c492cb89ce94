package dev.posthorn;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.log.CallersTransaction;
import dev.posthorn.log.EventWriter;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;

/**
 * Records events in the application's own transaction: they become deliverable with its commit and vanish with its
 * rollback. Thread-safe.
 *
 * <p>Order per key is commit order as long as writers of a key serialize on their aggregate (a row lock taken before
 * they record). For writers that do not, {@link Builder#lockKeys(boolean)} takes a lock per key until the commit.
 */
public final class Outbox {

    private static final CallersTransaction TRANSACTION =
            new CallersTransaction("recording an event", "the event", "make your change and record the event");

    private final EventLimits limits;
    private final boolean lockKeys;
    private final EventWriter writer;

    private Outbox(Builder builder) {
        this.limits = builder.limits;
        this.lockKeys = builder.lockKeys;
        this.writer = new EventWriter(builder.schema, builder.commitDurably);
    }

    /** An outbox in the schema {@code posthorn} with the default limits. */
    public static Outbox create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Records one event and returns its id. */
    public UUID record(Connection connection, Event event) {
        limits.check(event);
        return TRANSACTION.join(connection, () -> {
            if (lockKeys) {
                writer.lockKeys(connection, List.of(event));
            }
            writer.write(connection, event);
            return event.id();
        });
    }

    /** Records many events with one statement, in the order given, and returns their ids. */
    public List<UUID> record(Connection connection, List<Event> events) {
        events.forEach(limits::check);
        if (events.isEmpty()) {
            return List.of();
        }
        return TRANSACTION.join(connection, () -> {
            if (lockKeys) {
                writer.lockKeys(connection, events);
            }
            writer.write(connection, events);
            return events.stream().map(Event::id).toList();
        });
    }

    /** Settings of an outbox. */
    public static final class Builder {

        private SchemaName schema = SchemaName.DEFAULT;
        private EventLimits limits = EventLimits.DEFAULT;
        private boolean lockKeys;
        private boolean commitDurably = true;

        private Builder() {}

        public Builder schema(String name) {
            this.schema = new SchemaName(name);
            return this;
        }

        public Builder limits(EventLimits limits) {
            this.limits = limits;
            return this;
        }

        /** Makes writers of one key wait for each other, for those that hold no lock on their aggregate. */
        public Builder lockKeys(boolean lockKeys) {
            this.lockKeys = lockKeys;
            return this;
        }

        /**
         * Whether a transaction that records commits synchronously even where {@code synchronous_commit} is off (the
         * default). Without it, an event can be delivered and then be lost with its transaction in a crash.
         */
        public Builder commitDurably(boolean commitDurably) {
            this.commitDurably = commitDurably;
            return this;
        }

        public Outbox build() {
            return new Outbox(this);
        }
    }
}
