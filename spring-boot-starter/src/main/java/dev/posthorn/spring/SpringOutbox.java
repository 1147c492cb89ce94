package dev.posthorn.spring;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The outbox of the current Spring transaction. */
final class SpringOutbox implements Outbox {

    private final DataSource dataSource;
    private final dev.posthorn.Outbox outbox;
    private final EventLimits limits;
    private final AnnotatedEvents annotated;
    private final Traces traces;
    private final Runnable flush;
    private final Runnable wake;

    /**
     * @param flush brings to the database what is held back in memory, before events are written
     * @param wake tells the relay of this process, if there is one, that something was committed
     */
    SpringOutbox(
            DataSource dataSource,
            OutboxSettings settings,
            AnnotatedEvents annotated,
            Traces traces,
            Runnable flush,
            Runnable wake) {
        this.dataSource = dataSource;
        this.outbox = settings.outbox();
        this.limits = settings.limits();
        this.annotated = annotated;
        this.traces = traces;
        this.flush = flush;
        this.wake = wake;
    }

    @Override
    public UUID record(Event event) {
        return record(List.of(event)).get(0);
    }

    @Override
    public List<UUID> record(List<Event> events) {
        requireTransaction();
        events.forEach(limits::check);
        pending().add(events.stream().map(traces::onto).toList());
        return events.stream().map(Event::id).toList();
    }

    @Override
    public UUID record(Object annotatedEvent) {
        // Before the JSON is made, so that a missing transaction is not hidden by another mistake.
        requireTransaction();
        return record(annotatedEvent instanceof Event event ? event : annotated.event(annotatedEvent));
    }

    private void requireTransaction() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new NoTransactionException(
                    "An event was recorded without a transaction",
                    "Annotate the method that changes your data and records the event with @Transactional, and call it"
                            + " from another bean, or use a TransactionTemplate");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new NoTransactionException(
                    "An event was recorded in a read-only transaction", "Take readOnly = true off its @Transactional");
        }
        if (!TransactionSynchronizationManager.hasResource(dataSource)) {
            throw new NoTransactionException(
                    "An event was recorded in a transaction of another data source than the outbox's",
                    "Name the transaction manager of the outbox's data source in @Transactional, or let"
                            + " posthorn.data-source name the data source of this transaction");
        }
        if (CommitWatch.hasEnded()) {
            throw new NoTransactionException(
                    "An event was recorded after its transaction was committed",
                    "Record it before the commit, for instance with a @TransactionalEventListener of the phase"
                            + " BEFORE_COMMIT, or in a new transaction: @Transactional(propagation = REQUIRES_NEW)");
        }
    }

    /** Looked for among the synchronizations, because these are set aside and come back with their transaction. */
    private PendingEvents pending() {
        PendingEvents found = findPending();
        if (found == null) {
            found = new PendingEvents(this);
            TransactionSynchronizationManager.registerSynchronization(found);
        }
        return found;
    }

    private @Nullable PendingEvents findPending() {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof PendingEvents pending && pending.isOf(this)) {
                return pending;
            }
        }
        return null;
    }

    void flush() {
        flush.run();
    }

    void write(List<Event> events) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            outbox.record(connection, events);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    void wake() {
        wake.run();
    }
}
