package dev.posthorn.inbox;

import dev.posthorn.event.Event;
import java.time.Duration;
import java.util.Map;

/**
 * Told what happens to the events that a consumer takes. Called on its own threads after the fact, so it has to be quick;
 * what it throws is logged and has no effect. Every method does nothing unless overridden.
 */
public interface ConsumerListener {

    /** So many events had their effect. */
    default void processed(String consumer, int events) {}

    /** So many had had it before. */
    default void duplicates(String consumer, int events) {}

    /** An event's handler failed and is called again after the delay. */
    default void retried(String consumer, Event event, int attempts, Throwable failure, Duration delay) {}

    /**
     * So many records of each partition are not done; told every half second, of the partitions that this member has at
     * the time.
     */
    default void lag(String consumer, Map<Partition, Long> records) {}

    /** A part of what a consumer takes that is read in one order. */
    record Partition(String topic, int number) {}

    /** An event is a dead letter now, in the database or in a topic. */
    default void deadLettered(String consumer, Event event, int attempts, Throwable failure) {}
}
