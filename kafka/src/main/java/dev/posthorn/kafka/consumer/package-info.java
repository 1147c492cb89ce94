/**
 * Consumes events from Kafka, each with one effect. {@link dev.posthorn.kafka.consumer.InboxConsumer} and its {@link
 * dev.posthorn.kafka.consumer.TopicReplay} are for users; {@code Member}, which fetches, and {@code KeyQueueWorker}, which
 * calls the handler, are the pages to read first.
 */
@NullMarked
package dev.posthorn.kafka.consumer;

import org.jspecify.annotations.NullMarked;
