package dev.posthorn.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a method of a bean: it is called for every event of the topics, once for each, however often an event comes. It runs in
 * a transaction of the application's, with the event's inbox entry in it; what it throws rolls both back, and the event is
 * tried again.
 *
 * <p>The method takes the {@link dev.posthorn.event.Event}, or the payload, read from JSON into the parameter's type, or the
 * payload and the event; or a {@code List<Event>}, for many events in one transaction. Events of a key come in order, those
 * of different keys side by side.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface InboxListener {

    /** Kafka's topics; may hold placeholders like <code>${orders.topic}</code>. */
    String[] topics();

    /**
     * Who takes the events: its inbox entries, its consumer group and its dead letters. The same for ever: under another
     * name events are taken once more. Left out, {@code spring.application.name}.
     */
    String consumer() default "";

    /** How many events, or lists of events, are handled at the same time; each takes a connection. 0: the default. */
    int threads() default 0;

    /** How many events a list has at most. 0: the default. */
    int batchSize() default 0;

    /** After so many failed attempts an event is a dead letter. 0: the default, 5. */
    int maxAttempts() default 0;

    /** The wait before the second attempt, before the third, …, like {@code 30s}; the last one repeats. None: 1, 5, 15, 30 s. */
    String[] delays() default {};

    /**
     * Settings of its Kafka consumer as {@code name=value}, like {@code isolation.level=read_committed}, beside those of
     * {@code posthorn.inbox.kafka-properties}; may hold placeholders.
     */
    String[] properties() default {};

    /** Whether dead letters go to the topic {@code <topic>.DLT} instead of the database. */
    boolean deadLetterTopic() default false;

    /** Whether an event that comes again is known. Without it, for effects that are harmless when repeated. */
    boolean inbox() default true;
}
