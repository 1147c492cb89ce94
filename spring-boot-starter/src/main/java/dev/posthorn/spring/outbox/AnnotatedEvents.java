package dev.posthorn.spring.outbox;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.posthorn.event.Event;
import dev.posthorn.spring.OutboxEvent;
import dev.posthorn.spring.setup.SetupException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.databind.json.JsonMapper;

/** Makes events of objects whose classes are annotated with {@link OutboxEvent}. */
final class AnnotatedEvents {

    private final Supplier<JsonMapper> json;
    private final String source;

    /** @param source of events whose annotation names none; empty if the application has no name */
    AnnotatedEvents(Supplier<JsonMapper> json, String source) {
        this.json = SingletonSupplier.of(() -> json.get()
                .rebuild()
                .addMixIn(ApplicationEvent.class, WithoutItsPublisher.class)
                .build());
        this.source = source;
    }

    static boolean isAnnotated(@Nullable Class<?> type) {
        return type != null && AnnotatedElementUtils.hasAnnotation(type, OutboxEvent.class);
    }

    Event event(Object object) {
        Class<?> type = object.getClass();
        OutboxEvent annotation = AnnotatedElementUtils.findMergedAnnotation(type, OutboxEvent.class);
        if (annotation == null) {
            throw new IllegalArgumentException(type.getName()
                    + " is not annotated with @OutboxEvent. Annotate it, or record a dev.posthorn.event.Event");
        }
        return Event.builder()
                .source(sourceOf(annotation, type))
                .type(annotation.type())
                .version(annotation.version())
                .aggregateType(annotation.aggregateType().isEmpty() ? null : annotation.aggregateType())
                .key(keyOf(annotation, object))
                .payload(json.get().writeValueAsBytes(object))
                .contentType(Event.JSON)
                .build();
    }

    private String sourceOf(OutboxEvent annotation, Class<?> type) {
        String chosen = annotation.source().isEmpty() ? source : annotation.source();
        if (chosen.isEmpty()) {
            throw new SetupException(
                    "The events of " + type.getName() + " have no source",
                    "Set spring.application.name, posthorn.outbox.source, or source in its @OutboxEvent");
        }
        return chosen;
    }

    private static @Nullable String keyOf(OutboxEvent annotation, Object object) {
        return annotation.key().isEmpty() ? null : new PropertyPath(object.getClass(), annotation.key()).textOf(object);
    }

    /** An event of Spring's own kind: who published it in this process, and when, is no content. */
    interface WithoutItsPublisher {

        @JsonIgnore
        Object getSource();

        @JsonIgnore
        long getTimestamp();
    }
}
