package dev.posthorn.spring;

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

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        return AnnotatedEvents.isAnnotated(
                eventType.as(PayloadApplicationEvent.class).getGeneric().resolve());
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof PayloadApplicationEvent<?> published) {
            outbox.getObject().record(published.getPayload());
        }
    }
}
