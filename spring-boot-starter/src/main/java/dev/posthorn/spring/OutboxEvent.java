package dev.posthorn.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a class or record: an instance that is published as an application event, by an {@code ApplicationEventPublisher} or
 * by an aggregate of Spring Data, is recorded in the current transaction, as JSON.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OutboxEvent {

    /** What happened, like {@code order.placed}. */
    String type();

    /**
     * The property whose value is the ordering key, normally the aggregate's id; {@code order.id} is the property {@code id}
     * of the property {@code order}. Left out, the event is unordered.
     */
    String key() default "";

    /** What kind of thing it happened to. */
    String aggregateType() default "";

    /** Version of the type's content, from 1. */
    int version() default 1;

    /** The service that it happened in; left out, {@code posthorn.outbox.source} or {@code spring.application.name}. */
    String source() default "";
}
