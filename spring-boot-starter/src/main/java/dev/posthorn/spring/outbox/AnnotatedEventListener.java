package dev.posthorn.spring.outbox;

import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.OutboxEvent;
import dev.posthorn.spring.setup.SetupException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;

/** Records application events whose class is annotated with {@link OutboxEvent}. */
final class AnnotatedEventListener implements GenericApplicationListener {

    private final ObjectProvider<Outbox> outbox;

    /** The outbox is fetched at the first event: Spring makes listeners long before its data source is there. */
    AnnotatedEventListener(ObjectProvider<Outbox> outbox) {
        this.outbox = outbox;
    }

    /** In the publisher's thread, whatever the application's multicaster does with others: its transaction is there. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        return AnnotatedEvents.isAnnotated(eventType.resolve())
                || AnnotatedEvents.isAnnotated(
                        eventType.as(PayloadApplicationEvent.class).getGeneric().resolve());
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        record(event instanceof PayloadApplicationEvent<?> published ? published.getPayload() : event);
    }

    private void record(Object annotated) {
        Outbox present = outbox.getIfAvailable();
        if (present == null) {
            throw new SetupException(
                    "An instance of " + annotated.getClass().getName()
                            + ", which has @OutboxEvent, was published, but there is no data source to record it in",
                    "Set spring.datasource.url: events are recorded by JDBC, in transactions of a JdbcTransactionManager"
                            + " or JpaTransactionManager, also where the rest of the application uses R2DBC");
        }
        present.record(annotated);
    }
}
