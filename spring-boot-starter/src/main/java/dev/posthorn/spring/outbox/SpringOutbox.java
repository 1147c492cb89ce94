package dev.posthorn.spring.outbox;

import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.settings.PosthornProperties;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The outbox of the current Spring transaction. */
final class SpringOutbox implements Outbox {

    private final DataSource dataSource;
    private final dev.posthorn.Outbox outbox;
    private final EventLimits limits;
    private final AnnotatedEvents annotated;
    private final Traces traces;
    private final Runnable wake;

    /** @param wake tells the relay of this process, if there is one, that something was committed */
    SpringOutbox(
            DataSource dataSource,
            PosthornProperties properties,
            AnnotatedEvents annotated,
            Traces traces,
            Runnable wake) {
        this.dataSource = dataSource;
        this.limits = properties.outbox().limits();
        this.outbox = dev.posthorn.Outbox.builder()
                .schema(properties.schema().name())
                .limits(limits)
                .lockKeys(properties.outbox().lockKeys())
                .commitDurably(properties.outbox().commitDurably())
                .build();
        this.annotated = annotated;
        this.traces = traces;
        this.wake = wake;
    }

    @Override
    public UUID record(Event event) {
        return record(List.of(event)).get(0);
    }

    @Override
    public List<UUID> record(List<Event> events) {
        WatchedTransaction transaction = requireTransaction();
        events.forEach(limits::check);
        transaction.pendingOf(this).add(events.stream().map(this::traced).toList());
        return events.stream().map(Event::id).toList();
    }

    @Override
    public UUID record(Object annotatedEvent) {
        // Before the JSON is made, so that a missing transaction is not hidden by another mistake.
        requireTransaction();
        return record(annotatedEvent instanceof Event event ? event : annotated.event(annotatedEvent));
    }

    /** Without its trace rather than not at all: that one is larger than allowed with it is not the event's fault. */
    private Event traced(Event event) {
        Event traced = traces.onto(event);
        try {
            limits.check(traced);
            return traced;
        } catch (PosthornException tooLarge) {
            return event;
        }
    }

    private WatchedTransaction requireTransaction() {
        Object connection = TransactionSynchronizationManager.getResource(dataSource);
        if (connection != null && WatchedTransaction.hasEnded(connection)) {
            throw afterTheEnd();
        }
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
        if (connection == null) {
            throw ofAnotherDataSource();
        }
        return requireSeen(WatchedTransaction.current(), connection);
    }

    private static NoTransactionException ofAnotherDataSource() {
        return new NoTransactionException(
                "An event was recorded in a transaction of another data source than the outbox's",
                "Name the transaction manager of the outbox's data source in @Transactional, or let"
                        + " posthorn.data-source name the data source of this transaction");
    }

    private static NoTransactionException afterTheEnd() {
        return new NoTransactionException(
                "An event was recorded after its transaction had ended",
                "Record it before the commit, for instance with a @TransactionalEventListener of the phase"
                        + " BEFORE_COMMIT, or in a new transaction: @Transactional(propagation = REQUIRES_NEW)");
    }

    private static WatchedTransaction requireSeen(@Nullable WatchedTransaction transaction, Object connection) {
        if (transaction == null) {
            throw new NoTransactionException(
                    "An event was recorded in a transaction whose commit Posthorn does not see",
                    "Make its transaction manager a bean of the application, one that is a"
                            + " ConfigurableTransactionManager, as all of Spring's are");
        }
        if (!transaction.owns(connection)) {
            throw new NoTransactionException(
                    "An event was recorded in a transaction of another data source, inside one of the outbox's",
                    "Record it before or after the inner transaction: it belongs to the outer one, and one of the two may"
                            + " be committed without the other");
        }
        if (!transaction.commits(connection)) {
            throw ofAnotherDataSource();
        }
        if (transaction.hasEnded()) {
            throw afterTheEnd();
        }
        return transaction;
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
